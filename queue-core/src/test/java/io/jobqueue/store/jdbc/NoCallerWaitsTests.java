package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.jobqueue.NewJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.WorkerSessions.NewSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers, and whoever only looks, wait for no rows that they do not mean, while another
 * session holds every second row locked. The tables are small, which is where an
 * optimizer prefers to read, and lock, all of them.
 */
class NoCallerWaitsTests extends NobodyWaitsTests {

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void enqueueing(int size) throws SQLException {
		List<Long> ids = enqueue(size);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids);
			enqueue(1);
			enqueueAll(IntStream.range(0, 50)
				.mapToObj((number) -> NewJob.of("any", "x".repeat(5_000)).priority(number % 10))
				.toList());
			assertThat(claimIds(100)).hasSize(51);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void enqueueingWithUniqueKeys(int size) throws SQLException {
		List<String> keys = keys(size);
		List<Long> ids = enqueueAll(keys.stream().map((key) -> NewJob.of("any").uniqueKey(key)).toList());
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lockKeys(theirs(keys));
			holder.lock("jobqueue_job", "id", ids);
			assertThat(enqueueAll(ours(keys).stream().map((key) -> NewJob.of("any").uniqueKey(key)).toList()))
				.containsExactlyElementsOf(ours(ids));
			assertThat(enqueueAll(keys.stream().map((key) -> NewJob.of("any").uniqueKey(key + "-between")).toList()))
				.doesNotContainAnyElementsOf(ids);
			assertThat(enqueue(NewJob.of("any").uniqueKey("zzz"))).isNotIn(ids);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void cancelling(int size) throws SQLException {
		List<Long> ids = enqueue(size);
		claim(size / 2);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", theirs(ids));
			assertThat(this.store.cancel(ours(ids).get(0))).isTrue();
			assertThat(this.store.cancel(ours(ids).get(ours(ids).size() - 1))).isEqualTo(size > 2);
			assertThat(this.store.cancel(ids.get(size - 1) + 1)).isFalse();
			assertThat(this.store.cancel(-1)).isFalse();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void redriving(int size) throws SQLException {
		List<Claim> claims = running(size);
		this.store.finish(claims.stream().map((claim) -> new Finish.DeadLetter(claim, failure())).toList());
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_archive", "id", ids(theirs(claims)));
			assertThat(this.store.redrive(ids(ours(claims)))).isEqualTo(ours(claims).size());
			assertThat(this.store.redrive(ids(ours(claims)))).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 400 })
	void looking(int size) throws SQLException {
		List<Claim> claims = running(size);
		List<Long> ready = enqueue(size);
		this.queues.setPaused("paused", true);
		long dead = claims.get(0).id();
		this.store.finish(List.of(new Finish.DeadLetter(claims.get(0), failure())));
		JdbcWorkerSessions sessions = new JdbcWorkerSessions(this.database);
		sessions.open(new NewSession("one", 1, List.of(), List.of()), Duration.ofMinutes(1));
		try (LockHolder holder = new LockHolder(schema())) {
			for (String table : List.of("jobqueue_job", "jobqueue_archive", "jobqueue_error", "jobqueue_session",
					"jobqueue_queue")) {
				holder.lockAll(table);
			}
			assertThat(this.store.ready(0, Set.of(), false).ranges()).hasSize(1);
			assertThat(this.store.heldBy(SESSION, false)).hasSize(size - 1);
			assertThat(this.store.overdue(0, size)).hasSize(size - 1);
			assertThat(this.store.dead(null, null, null, StoreTests.LATEST, 10)).hasSize(1);
			assertThat(this.store.find(dead)).isPresent();
			assertThat(this.store.find(ready.get(0))).isPresent();
			assertThat(this.store.payload(ready.get(0))).isNotNull();
			assertThat(this.queues.depths()).hasSize(2);
			assertThat(this.queues.archived()).hasSize(1);
			assertThat(this.queues.newestDead(10)).hasSize(1);
			assertThat(this.queues.paused()).containsExactly("paused");
			assertThat(sessions.list()).hasSize(1);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void settingQueues(int size) throws SQLException {
		List<String> names = keys(size);
		this.rows
			.sql("INSERT INTO jobqueue_queue (name) VALUES "
					+ names.stream().map("('%s')"::formatted).collect(Collectors.joining(", ")))
			.update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_queue", "name", theirs(names));
			this.queues.setPaused(ours(names).get(0), true);
			this.queues.setLifo(ours(names).get(0), true);
			this.queues.setPaused("new", true);
			this.queues.setPaused("new", false);
			assertThat(this.queues.paused()).containsExactly(ours(names).get(0));
		}
	}

}
