package io.jobqueue.store.jdbc;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.SharedAgenda;
import io.jobqueue.maintenance.SweepWaitingJobs;
import io.jobqueue.poison.Load;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.QueueShares;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.TypeRules;
import io.jobqueue.store.jdbc.limit.JdbcLimits;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests of limits have in common.
 */
abstract class LimitStoreTests extends StoreTests {

	static final String LIMIT = "partner-api";

	final AtomicLong nanos = new AtomicLong();

	LimitStore limits;

	LimitPauses pauses;

	Map<String, Integer> types;

	@BeforeEach
	void openLimits() {
		this.limits = new JdbcLimits(this.database);
		this.pauses = new LimitPauses(this.nanos::get);
		this.rows.sql("DELETE FROM jobqueue_type").update();
		this.types = register(Map.of("call", LIMIT, "refund", LIMIT, "any", ""));
	}

	Map<String, Integer> register(Map<String, String> limitsByType) {
		Map<String, TypeRules> rules = new HashMap<>();
		limitsByType
			.forEach((type, limit) -> rules.put(type, new TypeRules(RetryPolicy.DEFAULT, OnDead.CONTINUE, limit)));
		return this.store.registerTypes(rules);
	}

	static Limit limit() {
		return Limit.of(LIMIT);
	}

	List<Long> calls(int jobs) {
		return enqueueAll(IntStream.range(0, jobs).mapToObj((number) -> NewJob.of("call", "p" + number)).toList());
	}

	List<Long> calls(String key, int jobs) {
		return enqueueAll(
				IntStream.range(0, jobs).mapToObj((number) -> NewJob.of("call", "p" + number).limitKey(key)).toList());
	}

	/**
	 * Claims as a worker that has handlers for all types does, again and again until
	 * nothing comes.
	 */
	List<ClaimedJob> claimAll(int most) {
		List<ClaimedJob> all = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			List<ClaimedJob> jobs = claimOnce(most - all.size());
			all.addAll(jobs);
			if (all.size() >= most) {
				break;
			}
		}
		return all;
	}

	List<ReadyRange> due() {
		List<Integer> ids = new ArrayList<>();
		this.types.values().forEach((id) -> ids.addAll(List.of(id, -id)));
		return this.store.ready(0, ids, false)
			.ranges()
			.stream()
			.filter(ReadyRange::isDue)
			.sorted(Comparator.comparing(ReadyRange::isSuspect)
				.thenComparing(ReadyRange::priority, Comparator.reverseOrder())
				.thenComparing(ReadyRange::typeId))
			.toList();
	}

	List<ClaimedJob> claimOnce(int most) {
		return this.store.claim(request(SESSION, due(), most, this.pauses));
	}

	ClaimRequest request(long session, List<ReadyRange> ranges, int most, LimitPauses own) {
		return new ClaimRequest(session, ranges, most, this.types.keySet(), Deadlines.always(DEADLINE), Load.empty(8),
				Set.of(), QueueShares.EQUAL, own);
	}

	void ack(ClaimedJob job) {
		assertThat(this.store.finish(List.of(new Finish.Ack(job.claim())))).isEmpty();
		this.pauses.ended(job);
	}

	int settleFreed() {
		return this.limits.settle(this.pauses.takeFreed()).ready();
	}

	Job job(long id) {
		return this.store.find(id).orElseThrow();
	}

	LimitStatus status() {
		return this.limits.list(LIMIT).get(0);
	}

	/**
	 * Read again each time.
	 */
	private static SharedAgenda.News agenda(Database database) {
		return new SharedAgenda(new ReadAgenda(database), System::nanoTime).news(Duration.ZERO, Duration.ZERO);
	}

	void sweep() {
		new SweepWaitingJobs(agenda(this.database), new JdbcOrderKeys(this.database, System::nanoTime), this.limits,
				Duration.ofSeconds(1))
			.runOnce();
	}

	static List<Long> ids(List<ClaimedJob> jobs) {
		return jobs.stream().map((job) -> job.claim().id()).toList();
	}

	ClaimedJob claimOf(List<Long> ids) {
		List<ClaimedJob> jobs = claimAll(100);
		assertThat(ids(jobs)).isEqualTo(ids);
		return jobs.get(0);
	}

	int limitId() {
		return this.rows.sql("SELECT id FROM jobqueue_limit").query(Integer.class).single();
	}

	/** As the database would see it. */
	void timePasses(Duration time) {
		this.nanos.addAndGet(Math.max(0, time.toNanos()));
		this.rows.sql("UPDATE jobqueue_allowance SET booked_until = booked_until - :nanos")
			.param("nanos", time.toNanos())
			.update();
		for (Map<String, Object> row : this.rows.sql("SELECT * FROM jobqueue_allowance WHERE look_at < '9000-01-01'")
			.query()
			.listOfRows()) {
			this.rows.sql("UPDATE jobqueue_allowance SET look_at = :at WHERE limit_key = :key")
				.param("at", at(row).minus(time))
				.param("key", row.get("limit_key"))
				.update();
		}
	}

	static LocalDateTime at(Map<String, Object> row) {
		Object at = row.get("look_at");
		return (at instanceof Timestamp time) ? time.toLocalDateTime() : (LocalDateTime) at;
	}

	long running(String which) {
		return this.rows.sql("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1 AND " + which)
			.query(Long.class)
			.single();
	}

	String limitOf(String type) {
		return this.rows.sql("SELECT limit_name FROM jobqueue_type WHERE name = :name")
			.param("name", type)
			.query(String.class)
			.single();
	}

	/** For some minutes no worker has said that a type has a limit. */
	void othersAreGone() {
		this.rows.sql("UPDATE jobqueue_declaration SET seen_at = '2020-01-01 00:00:00'").update();
	}

}
