package io.jobqueue.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.RowLocks;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;
import io.jobqueue.test.Together;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A crowd of threads does everything at once that can be done with a queue. Whatever
 * fails outside an application's own transactions fails the test.
 */
class CrowdTests extends WayTests {

	private static final int THREADS = 32;

	private static final int SUCCEEDED = 3;

	private static final int CANCELLED = 5;

	@ParameterizedTest
	@ValueSource(strings = { "TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ" })
	void doesEverythingAtOnce(String isolation) {
		HikariDataSource pool = this.chaos.schema.pool((config) -> {
			config.setTransactionIsolation(isolation);
			config.setMaximumPoolSize(2 * THREADS);
		});
		Database database = new Database(pool);
		JdbcJobStore store = new JdbcJobStore(database, StoreSettings.DEFAULT.withClaim(this.way.claim()));
		StoredJobQueue queue = Producer.queue(database);
		RowLocks rowLocks = new JdbcRowLocks(database, true);
		long deadlocks = deadlocks();
		int steps = choose(600, 300, 30);
		List<CrowdMember> crowd = Together.run(THREADS, (number) -> {
			CrowdMember member = new CrowdMember(number, this.chaos.seed, pool, store, queue).inMode(this.way.mode(),
					rowLocks);
			for (int step = 0; step < steps; step++) {
				member.doSomething();
			}
			return member;
		});
		int ownTransactions = crowd.stream().mapToInt((member) -> member.failedTransactions).sum();
		System.out.printf("CHAOS %s: %d deadlocks, of which %d reached the application's own transactions; %d %s%n",
				isolation, deadlocks() - deadlocks, ownTransactions, database.transactions().conflicts(),
				"transactions repeated");
		check(crowd);
	}

	private long deadlocks() {
		return this.chaos.sql.queryForObject(
				"SELECT SUM(count) FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'", Long.class);
	}

	private void check(List<CrowdMember> crowd) {
		List<Claim> won = crowd.stream().flatMap((member) -> member.won.stream()).toList();
		Set<Long> ids = won.stream().map(Claim::id).collect(Collectors.toSet());
		List<Long> cancelled = crowd.stream().flatMap((member) -> member.cancelled.stream()).toList();
		assertThat(won).extracting(Claim::id).as("no job succeeds twice").doesNotHaveDuplicates();
		assertThat(cancelled).as("no job is cancelled twice").doesNotHaveDuplicates();
		assertThat(cancelled).as("no job is cancelled that has succeeded").doesNotContainAnyElementsOf(ids);
		assertThat(ids("SELECT id FROM jobqueue_archive WHERE state = " + SUCCEEDED)).as("successes").isSubsetOf(ids);
		assertThat(ids("SELECT id FROM jobqueue_archive WHERE state = " + CANCELLED)).as("cancelled")
			.isSubsetOf(cancelled);
		assertThat(ids("SELECT j.id FROM jobqueue_job j JOIN jobqueue_archive a ON a.id = j.id"))
			.as("both live and archived")
			.isEmpty();
		Set<Long> there = new TreeSet<>(ids("SELECT id FROM jobqueue_job UNION ALL SELECT id FROM jobqueue_archive"));
		there.addAll(ids);
		there.addAll(cancelled);
		List<Long> enqueued = crowd.stream().flatMap((member) -> member.enqueued.stream()).toList();
		assertThat(enqueued).as("nothing is lost").isNotEmpty().isSubsetOf(there);
		assertThat(ledger()).as("the ledger is exact")
			.containsExactlyInAnyOrderElementsOf(
					crowd.stream().flatMap((member) -> member.posted.stream()).map(Posting::of).toList());
	}

	private List<Posting> ledger() {
		return this.chaos.sql.query("SELECT job_id, fence FROM ledger",
				(row, number) -> new Posting(row.getLong("job_id"), row.getLong("fence")));
	}

	private List<Long> ids(String query) {
		return new ArrayList<>(this.chaos.sql.queryForList(query, Long.class));
	}

	/**
	 * A row of the ledger.
	 */
	private record Posting(long job, long fence) {

		static Posting of(Claim claim) {
			return new Posting(claim.id(), claim.fence());
		}

	}

}
