package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.test.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No statement waits for rows that it does not mean: another session holds every second
 * row locked, and a wait would end as a conflict after a second. The tables are small,
 * which is where an optimizer prefers to read, and lock, all of them.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(value = TestDatabase.class, names = { "MYSQL", "MARIADB" })
class NobodyWaitsTests extends StoreTests {

	private static HikariDataSource impatient;

	@Override
	DataSource dataSource() {
		if (impatient == null || impatient.isClosed()) {
			impatient = schema().pool("sessionVariables=innodb_lock_wait_timeout=1");
		}
		return impatient;
	}

	@AfterEach
	void nobodyHasWaited() {
		assertThat(this.database.conflicts()).as("conflicts").isZero();
	}

	static Stream<Arguments> kindsAndSizes() {
		return StaleClaimTests.kinds().flatMap((kind) -> Stream.of(2, 30, 400).map((size) -> Arguments.of(kind, size)));
	}

	@ParameterizedTest
	@MethodSource("kindsAndSizes")
	void finishing(Function<Claim, Finish> kind, int size) throws SQLException {
		List<Claim> claims = running(size);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids(theirs(claims)));
			assertThat(this.store.finish(ours(claims).stream().map(kind).toList())).isEmpty();
		}
		assertThat(this.store.finish(theirs(claims).stream().map(kind).toList())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void ackingWithoutTrace(int size) throws SQLException {
		this.store = store(new StoreSettings(false, 4096, Duration.ofDays(1)));
		List<Claim> claims = withErrorsAndLargePayloads(size);
		try (LockHolder holder = new LockHolder(schema())) {
			lockJobAndBelongings(holder, "jobqueue_job", ids(theirs(claims)));
			assertThat(this.store.finish(ours(claims).stream().map(Finish.Ack::new).toList())).isEmpty();
		}
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(theirs(claims).size());
		assertThat(this.rows.count("jobqueue_error")).isEqualTo(theirs(claims).size());
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void finishingWhatIsNotLocked(int size) throws SQLException {
		List<Claim> claims = running(size);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids(theirs(claims)));
			assertThat(this.store.finishUnlocked(claims.stream().map(Finish.Ack::new).toList()))
				.containsExactlyInAnyOrderElementsOf(theirs(claims));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 400 })
	void ackingInTheHandlersTransaction(int size) throws SQLException {
		List<Claim> claims = running(size);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids(theirs(claims)));
			transaction().executeWithoutResult(
					(status) -> assertThat(this.store.ackInTransaction(ours(claims).get(0))).isTrue());
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void claiming(int size) throws SQLException {
		List<Long> ids = enqueue(size);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", theirs(ids));
			assertThat(claimIds(size)).containsExactlyElementsOf(ours(ids));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void claimingFromAStack(int size) throws SQLException {
		List<Long> ids = enqueue(size);
		this.queues.setLifo("default", true);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", theirs(ids));
			assertThat(claimIds(size)).containsExactlyInAnyOrderElementsOf(ours(ids));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void expiring(int size) throws SQLException {
		List<Long> running = ids(running(size));
		List<Long> ready = enqueue(size);
		this.rows.sql("UPDATE jobqueue_job SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", theirs(ready));
			holder.lock("jobqueue_job", "id", theirs(running));
			assertThat(this.store.expire(size)).isEqualTo(ours(ready).size());
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
	@ValueSource(ints = { 2, 30, 400 })
	void pruning(int size) throws SQLException {
		List<Claim> claims = withErrorsAndLargePayloads(size);
		this.store.finish(claims.stream().map(Finish.Ack::new).toList());
		try (LockHolder holder = new LockHolder(schema())) {
			lockJobAndBelongings(holder, "jobqueue_archive", ids(theirs(claims)));
			assertThat(this.store.prune(JobState.SUCCEEDED, Duration.ZERO, size)).isEqualTo(ours(claims).size());
		}
		assertThat(this.rows.count("jobqueue_error")).isEqualTo(theirs(claims).size());
	}

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
	void pruningUniqueKeys(int size) throws SQLException {
		List<String> keys = keys(size);
		enqueueAll(keys.stream().map((key) -> NewJob.of("any").uniqueKey(key)).toList());
		this.rows.sql("DELETE FROM jobqueue_job").update();
		this.rows.sql("UPDATE jobqueue_unique_key SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lockKeys(theirs(keys));
			assertThat(this.store.pruneUniqueKeys(size)).isEqualTo(ours(keys).size());
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
			assertThat(this.store.lines()).hasSize(1);
			assertThat(this.store.heldBy(SESSION)).hasSize(size - 1);
			assertThat(this.store.overdue(size)).hasSize(size - 1);
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
	void sessions(int size) throws SQLException {
		JdbcWorkerSessions sessions = new JdbcWorkerSessions(this.database);
		List<Long> ids = IntStream.range(0, size)
			.mapToObj((number) -> sessions.open(new NewSession("w" + number, 1, List.of(), List.of()),
					Duration.ofMinutes(1)))
			.toList();
		this.rows.sql("UPDATE jobqueue_session SET expires_at = TIMESTAMPADD(SECOND, -1, {now}) WHERE id IN (:ids)")
			.param("ids", ours(ids))
			.update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_session", "id", theirs(ids));
			assertThat(sessions.heartbeat(ours(ids).get(0), 1, Duration.ofMinutes(1))).isTrue();
			assertThat(sessions.endExpired()).hasSize(ours(ids).size() - 1);
			sessions.close(ours(ids).get(0));
			assertThat(sessions.heartbeat(ours(ids).get(0), 1, Duration.ofMinutes(1))).isFalse();
			long fresh = sessions.open(new NewSession("fresh", 1, List.of(), List.of()), Duration.ofMinutes(1));
			assertThat(sessions.heartbeat(fresh, 1, Duration.ofMinutes(1))).isTrue();
			assertThat(sessions.list()).hasSize(theirs(ids).size() + 1);
		}
		finally {
			sessions.disconnect();
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

	private List<Claim> running(int size) {
		enqueue(size);
		return claim(size).stream().map(ClaimedJob::claim).toList();
	}

	private List<Claim> withErrorsAndLargePayloads(int size) {
		enqueueAll(IntStream.range(0, size).mapToObj((number) -> NewJob.of("any", "x".repeat(5_000))).toList());
		this.store.finish(
				claim(size).stream().map((job) -> new Finish.Retry(job.claim(), Duration.ZERO, failure())).toList());
		return claim(size).stream().map(ClaimedJob::claim).toList();
	}

	private static void lockJobAndBelongings(LockHolder holder, String table, List<Long> ids) throws SQLException {
		holder.lock(table, "id", ids);
		holder.lock("jobqueue_payload", "job_id", ids);
		holder.lock("jobqueue_error", "job_id", ids);
	}

	private static List<String> keys(int size) {
		return IntStream.range(0, size).mapToObj("key-%03d"::formatted).toList();
	}

	private static List<Long> ids(List<Claim> claims) {
		return claims.stream().map(Claim::id).toList();
	}

	private static <T> List<T> ours(List<T> all) {
		return everySecond(all, 0);
	}

	private static <T> List<T> theirs(List<T> all) {
		return everySecond(all, 1);
	}

	private static <T> List<T> everySecond(List<T> all, int start) {
		List<T> some = new ArrayList<>();
		for (int i = start; i < all.size(); i += 2) {
			some.add(all.get(i));
		}
		return some;
	}

}
