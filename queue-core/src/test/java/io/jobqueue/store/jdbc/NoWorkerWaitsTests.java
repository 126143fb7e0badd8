package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.test.TestSessions;
import io.jobqueue.test.Pruning;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Workers and maintenance wait for no rows that they do not mean, while another session
 * holds every second row locked. The tables are small, which is where an optimizer
 * prefers to read, and lock, all of them.
 */
class NoWorkerWaitsTests extends NobodyWaitsTests {

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
		this.store = store(StoreSettings.DEFAULT.withKeepSucceeded(false));
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
			assertThat(this.store.finish(claims.stream().map(Finish.Ack::new).toList()))
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
					(status) -> assertThat(this.store.ackInTransaction(ours(claims).get(0), false)).isTrue());
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
	void sessions(int size) throws SQLException {
		JdbcWorkerSessions sessions = new JdbcWorkerSessions(this.database);
		List<Long> ids = IntStream.range(0, size)
			.mapToObj((number) -> sessions.open(new NewSession("w" + number, 1, List.of(), List.of()),
					Duration.ofHours(1)))
			.toList();
		this.rows.sql("UPDATE jobqueue_session SET expires_at = TIMESTAMPADD(SECOND, -1, {now}) WHERE id IN (:ids)")
			.param("ids", ours(ids))
			.update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_session", "id", theirs(ids));
			assertThat(sessions.heartbeat(ours(ids).get(0), 1, Duration.ofMinutes(1))).isTrue();
			assertThat(TestSessions.endExpired(sessions)).hasSize(ours(ids).size() - 1);
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
	void expiring(int size) throws SQLException {
		List<Long> running = ids(running(size));
		List<Long> ready = enqueue(size);
		this.rows.sql("UPDATE jobqueue_job SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", theirs(ready));
			holder.lock("jobqueue_job", "id", theirs(running));
			assertThat(this.store.expire(null, size).changed()).isEqualTo(ours(ready).size());
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 30, 400 })
	void pruning(int size) throws SQLException {
		List<Claim> claims = withErrorsAndLargePayloads(size);
		this.store.finish(claims.stream().map(Finish.Ack::new).toList());
		try (LockHolder holder = new LockHolder(schema())) {
			lockJobAndBelongings(holder, "jobqueue_archive", ids(theirs(claims)));
			assertThat(Pruning.prune(this.store, JobState.SUCCEEDED, Duration.ZERO, size))
				.isEqualTo(ours(claims).size());
		}
		assertThat(this.rows.count("jobqueue_error")).isEqualTo(theirs(claims).size());
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
			assertThat(this.store.pruneUniqueKeys(null, size).changed()).isEqualTo(ours(keys).size());
		}
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

}
