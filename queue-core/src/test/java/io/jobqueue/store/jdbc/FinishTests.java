package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.Rows.ArchivedRow;
import io.jobqueue.store.jdbc.Rows.ErrorRow;
import io.jobqueue.store.jdbc.Rows.LiveRow;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Thorough;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DuplicateKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What each way out of RUNNING leaves in every column.
 */
@ForEachDatabase
class FinishTests extends StoreTests {

	private static final ErrorRow ERROR = new ErrorRow(1, 1, "java.lang.IllegalStateException", "It failed",
			"at some.Where");

	@Test
	void nothingIsFinishedByNoFinishes() {
		assertThat(this.store.finish(List.of())).isEmpty();
		assertThat(this.store.finish(List.of())).isEmpty();
	}

	@Test
	void anAckArchivesTheJobAsSucceeded() {
		Claim claim = claimed(NewJob.of("send-receipt", "{}").queue("mail").priority(7).maxAttempts(3));
		LiveRow running = this.rows.live(claim.id());
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).isEmpty();
		assertArchived(running, JobState.SUCCEEDED);
		assertThat(this.rows.errors(claim.id())).isEmpty();
	}

	@Test
	void anAckKeepsALargePayload() {
		Claim claim = claimed(NewJob.of("any", "x".repeat(5_000)));
		this.store.finish(List.of(new Finish.Ack(claim)));
		assertThat(this.store.find(claim.id()).orElseThrow().payload()).isEqualTo("x".repeat(5_000));
	}

	@Test
	void aRetryMakesTheJobReadyAfterItsDelay() {
		Claim claim = claimed();
		this.rows.set(claim.id(), "crashes = 2, held_limit = 4");
		LiveRow running = this.rows.live(claim.id());
		Finish retry = new Finish.Retry(claim, Duration.ofMinutes(5), failure());
		assertThat(this.store.finish(List.of(retry))).isEmpty();
		LiveRow ready = this.rows.live(claim.id());
		assertThat(ready).isEqualTo(new LiveRow(claim.id(), StateCode.READY, running.queue(), running.priority(),
				ready.availableAt(), running.type(), claim.fence() + 1, 1, running.maxAttempts(), running.timeoutMs(),
				0, 0, 0, running.claimedAt(), Rows.NEVER, running.expiresAt(), running.enqueuedAt(), false,
				running.payload()));
		assertThat(ready.availableAt()).isAfterOrEqualTo(running.claimedAt().plusMinutes(5));
		assertThat(this.rows.holds(claim.id(), "available_at <= TIMESTAMPADD(MINUTE, 5, {now})")).isTrue();
		assertThat(this.rows.errors(claim.id())).containsExactly(ERROR);
	}

	@Test
	void aDeadLetterArchivesTheJobAsDeadWithItsError() {
		Claim claim = claimed(NewJob.of("any", "x".repeat(5_000)));
		LiveRow running = this.rows.live(claim.id());
		assertThat(this.store.finish(List.of(new Finish.DeadLetter(claim, failure())))).isEmpty();
		assertArchived(running, JobState.DEAD);
		assertThat(this.rows.errors(claim.id())).containsExactly(ERROR);
		assertThat(this.rows.count("jobqueue_payload")).isEqualTo(1);
	}

	@Test
	void aReleaseWithoutDelayLeavesTheJobItsPlace() {
		Claim claim = claimed();
		LiveRow running = this.rows.live(claim.id());
		assertThat(this.store.finish(List.of(new Finish.Release(claim, Duration.ZERO)))).isEmpty();
		assertThat(this.rows.live(claim.id())).isEqualTo(released(running, StateCode.READY, 0));
		assertThat(this.rows.errors(claim.id())).isEmpty();
		assertThat(claim(1).get(0).attempt()).isEqualTo(1);
	}

	@Test
	void aReleaseWithADelayLetsTheJobWait() {
		Claim claim = claimed();
		LiveRow running = this.rows.live(claim.id());
		this.store.finish(List.of(new Finish.Release(claim, Duration.ofMinutes(5))));
		LiveRow ready = this.rows.live(claim.id());
		assertThat(ready.availableAt()).isAfterOrEqualTo(running.claimedAt().plusMinutes(5));
		assertThat(this.rows.holds(claim.id(), "available_at <= TIMESTAMPADD(MINUTE, 5, {now})")).isTrue();
		assertThat(ready.attempt()).isZero();
	}

	@Test
	void aSuspectThatIsReleasedStaysOne() {
		Claim claim = claimed();
		this.rows.set(claim.id(), "crashes = 2, held_limit = 4");
		LiveRow running = this.rows.live(claim.id());
		this.store.finish(List.of(new Finish.Release(claim, Duration.ZERO)));
		assertThat(this.rows.live(claim.id())).isEqualTo(released(running, StateCode.STRONG_SUSPECT, 2));
	}

	@Test
	void aRescueMakesTheJobASuspectWithoutCountingTheAttempt() {
		Claim claim = claimed();
		this.rows.set(claim.id(), "crashes = 1, held_limit = 16");
		LiveRow running = this.rows.live(claim.id());
		assertThat(this.store.finish(List.of(new Finish.Rescue(claim, failure())))).isEmpty();
		assertThat(this.rows.live(claim.id())).isEqualTo(released(running, StateCode.STRONG_SUSPECT, 2));
		assertThat(this.rows.errors(claim.id())).containsExactly(ERROR);
		ClaimedJob again = claim(1).get(0);
		assertThat(again.attempt()).isEqualTo(1);
		assertThat(again.suspicion().crashes()).isEqualTo(2);
	}

	@Test
	void anOutageMakesTheJobASuspectWithoutCountingTheAttempt() {
		Claim claim = claimed();
		assertThat(this.store.finish(List.of(new Finish.Outage(claim, Duration.ofMinutes(5), failure())))).isEmpty();
		LiveRow row = this.rows.live(claim.id());
		assertThat(row.state()).isEqualTo(StateCode.FIRST_SUSPECT);
		assertThat(row.attempt()).isZero();
		assertThat(row.fence()).isEqualTo(claim.fence() + 1);
		assertThat(row.availableAt()).isAfterOrEqualTo(row.claimedAt().plusMinutes(5));
		assertThat(this.rows.holds(claim.id(), "outages = 1 AND session_id = 0")).isTrue();
		assertThat(this.rows.errors(claim.id())).containsExactly(ERROR);
	}

	/**
	 * The statements say by themselves what the rules say.
	 */
	@Test
	void theDegreeOfSuspicionIsTheOneOfTheRules() {
		for (int crashes = 0; crashes <= 4; crashes++) {
			for (int outages = 0; outages <= 5; outages++) {
				this.rows.deleteAll();
				List<Claim> claims = IntStream.range(0, 3).mapToObj((i) -> claimed()).toList();
				for (Claim claim : claims) {
					this.rows.set(claim.id(), "crashes = " + crashes + ", outages = " + outages);
				}
				this.store.finish(List.of(new Finish.Release(claims.get(0), Duration.ZERO),
						new Finish.Rescue(claims.get(1), failure()),
						new Finish.Outage(claims.get(2), Duration.ZERO, failure())));
				assertThat(claims.stream().map((claim) -> StateCode.degree(this.rows.live(claim.id()).state())))
					.containsExactly(Suspicion.degreeOf(crashes, outages), Suspicion.degreeOf(crashes + 1, outages),
							Suspicion.degreeOf(crashes, outages + 1));
			}
		}
	}

	private static LiveRow released(LiveRow running, int state, int crashes) {
		return new LiveRow(running.id(), state, running.queue(), running.priority(), running.availableAt(),
				running.type(), running.fence() + 1, running.attempt() - 1, running.maxAttempts(), running.timeoutMs(),
				crashes, 0, 0, running.claimedAt(), Rows.NEVER, running.expiresAt(), running.enqueuedAt(),
				running.largePayload(), running.payload());
	}

	private void assertArchived(LiveRow running, JobState state) {
		assertThat(this.rows.isLive(running.id())).isFalse();
		ArchivedRow archived = this.rows.archived(running.id());
		assertThat(archived).isEqualTo(ArchivedRow.from(running, StateCode.of(state), archived.finishedAt()));
		assertThat(archived.finishedAt()).isAfterOrEqualTo(running.claimedAt());
		assertThat(this.rows.holdsArchived(running.id(), "finished_at <= {now}")).isTrue();
	}

	@Test
	void oneCallEndsClaimsOfAllKindsAndTellsWhichWereStale() {
		enqueue(6);
		List<Claim> claims = claim(6).stream().map(ClaimedJob::claim).toList();
		Claim stale = new Claim(claims.get(5).id(), 99, SESSION);
		Set<Claim> reported = this.store
			.finish(List.of(new Finish.Rescue(claims.get(4), failure()), new Finish.Ack(stale),
					new Finish.Release(claims.get(3), Duration.ZERO), new Finish.DeadLetter(claims.get(2), failure()),
					new Finish.Retry(claims.get(1), Duration.ofHours(1), failure()), new Finish.Ack(claims.get(0))));
		assertThat(reported).containsExactly(stale);
		assertThat(this.rows.archived(claims.get(0).id()).state()).isEqualTo(StateCode.of(JobState.SUCCEEDED));
		assertThat(this.rows.live(claims.get(1).id()).state()).isEqualTo(StateCode.READY);
		assertThat(this.rows.archived(claims.get(2).id()).state()).isEqualTo(StateCode.of(JobState.DEAD));
		assertThat(this.rows.live(claims.get(3).id()).state()).isEqualTo(StateCode.READY);
		assertThat(this.rows.live(claims.get(4).id()).state()).isEqualTo(StateCode.FIRST_SUSPECT);
		assertThat(this.rows.live(claims.get(5).id()).state()).isEqualTo(StateCode.RUNNING);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(4);
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(2);
	}

	@Test
	void retriesOfOneCallHaveTheirOwnDelaysAndErrors() {
		enqueue(3);
		List<Claim> claims = claim(3).stream().map(ClaimedJob::claim).toList();
		this.store.finish(claims.stream()
			.map((claim) -> new Finish.Retry(claim, Duration.ofHours(claim.id()), Failure.of(1, "type", "m" + claim)))
			.toList());
		for (Claim claim : claims) {
			assertThat(this.rows.holds(claim.id(),
					"available_at > TIMESTAMPADD(MINUTE, %d, {now})".formatted(60 * claim.id() - 30)))
				.isTrue();
			assertThat(
					this.rows.holds(claim.id(), "available_at <= TIMESTAMPADD(HOUR, %d, {now})".formatted(claim.id())))
				.isTrue();
			assertThat(this.rows.errors(claim.id())).extracting(ErrorRow::message).containsExactly("m" + claim);
		}
	}

	/**
	 * Each round trip prolongs what the locks cost others.
	 */
	@Test
	void hundredsOfFailuresTakeAFewStatements() {
		enqueue(120);
		List<Claim> claims = claim(120).stream().map(ClaimedJob::claim).toList();
		WatchedDataSource watched = new WatchedDataSource(dataSource());
		String longest = "\u4f60".repeat(20_000);
		new JdbcJobStore(new Database(watched), StoreSettings.DEFAULT).finish(claims.stream()
			.map((claim) -> new Finish.Retry(claim, Duration.ofMillis(claim.id()),
					new Failure(1, "type", "m" + claim, longest)))
			.toList());
		assertThat(watched.executed()).hasSizeLessThan(10);
		for (Claim claim : claims) {
			assertThat(this.rows.errors(claim.id())).extracting(ErrorRow::message).containsExactly("m" + claim);
		}
	}

	@Test
	void allClaimsOfOneCallEndOrNone() {
		Thorough.onceOnH2(this.testDatabase);
		enqueue(2);
		List<Claim> claims = claim(2).stream().map(ClaimedJob::claim).toList();
		var before = this.rows.all();
		Finish.Retry retry = new Finish.Retry(claims.get(1), Duration.ZERO, failure());
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> this.store.finish(List.of(new Finish.Ack(claims.get(0)), retry, retry)));
		assertThat(this.rows.all()).isEqualTo(before);
	}

	@Test
	void everyFailedAttemptKeepsItsError() {
		long id = enqueue(NewJob.of("any"));
		for (int attempt = 1; attempt <= 3; attempt++) {
			Claim claim = claim(1).get(0).claim();
			Failure failure = Failure.of(attempt, "type", "failure " + attempt);
			this.store.finish(List.of((attempt < 3) ? new Finish.Retry(claim, Duration.ZERO, failure)
					: new Finish.DeadLetter(claim, failure)));
		}
		assertThat(this.rows.errors(id)).extracting(ErrorRow::attempt).containsExactly(1, 2, 3);
		assertThat(this.rows.errors(id)).extracting(ErrorRow::message)
			.containsExactly("failure 1", "failure 2", "failure 3");
	}

	@Test
	void nothingIsLeftOfASucceededJobWhereTheyAreNotKept() {
		this.store = store(StoreSettings.DEFAULT.withKeepSucceeded(false));
		Claim first = claimed(NewJob.of("any", "x".repeat(5_000)));
		this.store.finish(List.of(new Finish.Retry(first, Duration.ZERO, failure())));
		Claim second = claim(1).get(0).claim();
		assertThat(this.store.finish(List.of(new Finish.Ack(second)))).isEmpty();
		assertThat(this.rows.all().values()).allMatch(List::isEmpty);
	}

	@Test
	void deadJobsAreKeptWhereSucceededOnesAreNot() {
		this.store = store(StoreSettings.DEFAULT.withKeepSucceeded(false));
		long id = dead(NewJob.of("any", "x".repeat(5_000)));
		assertThat(this.rows.isArchived(id)).isTrue();
		assertThat(this.rows.errors(id)).hasSize(1);
		assertThat(this.rows.count("jobqueue_payload")).isEqualTo(1);
	}

}
