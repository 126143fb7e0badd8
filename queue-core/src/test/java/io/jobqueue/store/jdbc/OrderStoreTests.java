package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.SharedAgenda;
import io.jobqueue.maintenance.SweepWaitingJobs;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.TypeRules;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import io.jobqueue.store.jdbc.limit.JdbcLimits;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests of order keys have in common.
 */
abstract class OrderStoreTests extends StoreTests {

	static final String KEY = "order-42";

	OrderKeys keys;

	@BeforeEach
	void openKeys() {
		this.keys = new JdbcOrderKeys(this.database, System::nanoTime);
		this.rows.sql("DELETE FROM jobqueue_type").update();
	}

	long keyed(String key) {
		return enqueue(NewJob.of("any", "p").orderKey(key));
	}

	List<Long> keyed(String key, int jobs) {
		return enqueueAll(IntStream.range(0, jobs).mapToObj((i) -> NewJob.of("any", "p" + i).orderKey(key)).toList());
	}

	int settle() {
		return this.keys.settle().ready().size();
	}

	Claim next() {
		settle();
		List<ClaimedJob> jobs = claim(10);
		assertThat(jobs).hasSize(1);
		return jobs.get(0).claim();
	}

	void ack(Claim claim) {
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).isEmpty();
	}

	void die(Claim claim) {
		assertThat(this.store.finish(List.of(new Finish.DeadLetter(claim, failure())))).isEmpty();
	}

	void onDead(OnDead onDead) {
		this.store.registerTypes(Map.of("any", new TypeRules(RetryPolicy.DEFAULT, onDead, "")));
	}

	Job job(long id) {
		return this.store.find(id).orElseThrow();
	}

	/**
	 * Read again each time.
	 */
	private static SharedAgenda.News agenda(Database database) {
		return new SharedAgenda(new ReadAgenda(database), System::nanoTime).news(Duration.ZERO, Duration.ZERO);
	}

	void sweep() {
		new SweepWaitingJobs(agenda(this.database), this.keys, new JdbcLimits(this.database), Duration.ofSeconds(1))
			.runOnce();
	}

}
