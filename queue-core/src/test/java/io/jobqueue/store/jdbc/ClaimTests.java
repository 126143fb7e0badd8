package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.database.Dialect;
import io.jobqueue.database.StateCode;
import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.jdbc.Rows.ArchivedRow;
import io.jobqueue.store.jdbc.Rows.LiveRow;
import io.jobqueue.store.jdbc.claim.Quarantine;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.assertj.core.api.Assertions.tuple;

@ForEachDatabase
class ClaimTests extends StoreTests {

	private JdbcWorkerSessions sessions;

	@BeforeEach
	void openSessions() {
		this.sessions = new JdbcWorkerSessions(this.database);
	}

	@AfterEach
	void disconnect() {
		if (this.sessions != null) {
			this.sessions.disconnect();
		}
	}

	@Test
	void thereAreNoRangesWithoutJobs() {
		assertThat(this.store.ready(0, Set.of(), false).ranges()).isEmpty();
	}

	@Test
	void eachQueueAndPriorityWithReadyJobsIsALine() {
		enqueueAll(List.of(NewJob.of("any"), NewJob.of("any"), NewJob.of("any").priority(9),
				NewJob.of("any").queue("mail"), NewJob.of("any").queue("mail").delay(Duration.ofHours(1)),
				NewJob.of("any").queue("later").delay(Duration.ofHours(1))));
		assertThat(this.store.ready(0, Set.of(), false).ranges())
			.extracting(ReadyRange::queue, ReadyRange::priority, ReadyRange::isSuspect, ReadyRange::lifo,
					ReadyRange::isDue)
			.containsExactlyInAnyOrder(tuple("default", 4, false, false, true), tuple("default", 9, false, false, true),
					tuple("mail", 4, false, false, true), tuple("later", 4, false, false, false));
	}

	@Test
	void aLineSaysWhenItsFirstJobIsDue() {
		enqueueAll(List.of(NewJob.of("any").delay(Duration.ofHours(3)), NewJob.of("any").delay(Duration.ofHours(2))));
		ReadyRange range = this.store.ready(0, Set.of(), false).ranges().get(0);
		assertThat(range.dueIn()).isLessThanOrEqualTo(Duration.ofHours(2)).isGreaterThan(Duration.ofHours(1));
	}

	@Test
	void aPausedQueueIsNoLine() {
		enqueueAll(List.of(NewJob.of("any").queue("mail"), NewJob.of("any")));
		this.queues.setPaused("mail", true);
		assertThat(this.store.ready(0, Set.of(), false).ranges()).extracting(ReadyRange::queue)
			.containsExactly("default");
		this.queues.setPaused("mail", false);
		assertThat(this.store.ready(0, Set.of(), false).ranges()).extracting(ReadyRange::queue)
			.containsExactlyInAnyOrder("default", "mail");
	}

	@Test
	void aQueueWhoseModeHasChangedSinceItsLineWasReadIsLeftAlone() {
		List<Long> ids = enqueue(2);
		List<ReadyRange> ofStandard = List.of(range("default", 4));
		this.queues.setMode("default", QueueMode.ROW_LOCK);
		assertThat(claim(ofStandard, 10)).isEmpty();
		this.queues.setMode("default", QueueMode.STANDARD);
		assertThat(claimIds(10)).isEqualTo(ids);
	}

	@Test
	void suspectsStandInALineOfTheirOwn() {
		Claim claim = claimed();
		this.store.finish(List.of(new Finish.Rescue(claim, failure())));
		enqueue(NewJob.of("any"));
		assertThat(this.store.ready(0, Set.of(), false).ranges()).extracting(ReadyRange::queue, ReadyRange::isSuspect)
			.containsExactlyInAnyOrder(tuple("default", false), tuple("default", true));
	}

	@Test
	void runningJobsAreNoLine() {
		claimed();
		assertThat(this.store.ready(0, Set.of(), false).ranges()).isEmpty();
	}

	@Test
	void aLineKnowsThatItsQueueIsLastInFirstOut() {
		enqueue(NewJob.of("any").queue("stack"));
		this.queues.setLifo("stack", true);
		assertThat(this.store.ready(0, Set.of(), false).ranges()).singleElement()
			.extracting(ReadyRange::lifo)
			.isEqualTo(true);
	}

	@Test
	void jobsAreClaimedByTimeAndThenById() {
		List<Long> ids = enqueue(6);
		LocalDateTime time = this.rows.live(ids.get(0)).availableAt();
		for (int i : List.of(1, 2, 4)) {
			setAvailable(ids.get(i), time.minusMinutes(1));
		}
		setAvailable(ids.get(5), time.minusMinutes(2));
		assertThat(claimIds(10)).containsExactly(ids.get(5), ids.get(1), ids.get(2), ids.get(4), ids.get(0),
				ids.get(3));
	}

	@Test
	void aStackIsClaimedFromItsNewestJob() {
		List<Long> ids = enqueueAll(
				IntStream.range(0, 4).mapToObj((number) -> NewJob.of("any").queue("stack")).toList());
		LocalDateTime time = this.rows.live(ids.get(0)).availableAt();
		setAvailable(ids.get(1), time.minusMinutes(1));
		enqueue(NewJob.of("any").queue("stack").delay(Duration.ofHours(1)));
		this.queues.setLifo("stack", true);
		assertThat(claimIds(3)).containsExactly(ids.get(3), ids.get(2), ids.get(0));
		assertThat(claimIds(3)).containsExactly(ids.get(1));
	}

	private void setAvailable(long id, LocalDateTime time) {
		this.rows.sql("UPDATE jobqueue_job SET available_at = :time WHERE id = :id")
			.param("time", time)
			.param("id", id)
			.update();
	}

	@Test
	void rangesAreClaimedInTheOrderGivenUpToTheLimit() {
		List<Long> ids = enqueueAll(List.of(NewJob.of("any").priority(1), NewJob.of("any").priority(9),
				NewJob.of("any").priority(9), NewJob.of("any").queue("mail").priority(5)));
		List<ReadyRange> ranges = List.of(range("default", 9), range("mail", 5), range("default", 1));
		assertThat(claim(ranges, 3)).extracting((job) -> job.claim().id())
			.containsExactly(ids.get(1), ids.get(2), ids.get(3));
		assertThat(claim(ranges, 3)).extracting((job) -> job.claim().id()).containsExactly(ids.get(0));
	}

	@Test
	void aClaimedJobIsRunningUnderItsSession() {
		long id = enqueue(NewJob.of("send-receipt", "{}").queue("mail").maxAttempts(3).timeout(Duration.ofMinutes(2)));
		LiveRow ready = this.rows.live(id);
		ClaimedJob job = claim(10).get(0);
		assertThat(job).isEqualTo(new ClaimedJob(new Claim(id, 1, SESSION), "send-receipt", job.range(), 1, 3,
				Duration.ofMinutes(2), Suspicion.NONE, this.store.find(id).orElseThrow().enqueuedAt(), job.waited(),
				new ClaimedJob.Payload("{}", false)));
		assertThat(job.waited()).isGreaterThanOrEqualTo(java.time.Duration.ZERO);
		LiveRow row = this.rows.live(id);
		assertThat(row).isEqualTo(new LiveRow(id, StateCode.RUNNING, "mail", 4, ready.availableAt(), "send-receipt", 1,
				1, 3, 120_000, 0, 0, SESSION, row.claimedAt(), row.claimedAt().plus(DEADLINE).plusMinutes(2),
				Rows.NEVER, ready.enqueuedAt(), false, "{}"));
		assertThat(row.claimedAt()).isAfterOrEqualTo(ready.enqueuedAt());
	}

	@Test
	void theDeadlineIsTheJobsOwnOrThatOfItsType() {
		List<Long> ids = enqueueAll(List.of(NewJob.of("slow"), NewJob.of("fast"), NewJob.of("endless"),
				NewJob.of("slow").timeout(Duration.ofHours(9))));
		Deadlines deadlines = new Deadlines(
				Map.of("slow", Duration.ofHours(1), "fast", Duration.ofSeconds(1), "endless", Duration.ZERO),
				Duration.ZERO, Duration.ofMinutes(1));
		this.store.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), 10, deadlines));
		assertThat(ids.stream().map(this.rows::live))
			.extracting((row) -> Duration.between(row.claimedAt(), row.deadlineAt()))
			.containsExactly(Duration.ofMinutes(61), Duration.ofSeconds(61), Duration.ofDays(36500),
					Duration.ofMinutes(9 * 60 + 1));
	}

	@Test
	void fenceAndAttemptGrowWithEveryClaim() {
		long id = enqueue(NewJob.of("any"));
		long fence = 0;
		for (int attempt = 1; attempt <= 3; attempt++) {
			ClaimedJob job = claim(1).get(0);
			assertThat(job.attempt()).isEqualTo(attempt);
			assertThat(job.claim().fence()).isGreaterThan(fence);
			assertThat(this.rows.live(id).fence()).isEqualTo(job.claim().fence());
			assertThat(this.rows.live(id).attempt()).isEqualTo(attempt);
			fence = job.claim().fence();
			this.store.finish(List.of(new Finish.Retry(job.claim(), Duration.ZERO, failure())));
		}
	}

	@Test
	void twoClaimsNeverShareAJob() {
		List<Long> ids = enqueue(25);
		List<Long> claimed = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			claimed.addAll(claimIds(10));
		}
		assertThat(claimed).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(claimIds(10)).isEmpty();
	}

	@Test
	void aPausedQueueYieldsNothingEvenIfItIsAskedFor() {
		long id = enqueue(NewJob.of("any").queue("mail"));
		this.queues.setPaused("mail", true);
		assertThat(claim(List.of(range("mail", 4)), 10)).isEmpty();
		this.queues.setPaused("mail", false);
		assertThat(claim(List.of(range("mail", 4)), 10)).extracting((job) -> job.claim().id()).containsExactly(id);
	}

	@Test
	void aJobThatIsNotYetDueIsNotClaimed() {
		long later = enqueue(NewJob.of("any").delay(Duration.ofHours(1)));
		long now = enqueue(NewJob.of("any"));
		assertThat(claimIds(10)).containsExactly(now);
		assertThat(this.rows.live(later).state()).isEqualTo(StateCode.READY);
	}

	@Test
	void onlyJobsOfTheTypesThatWereAskedForAreClaimed() {
		List<Long> ids = enqueueAll(
				List.of(NewJob.of("theirs"), NewJob.of("ours"), NewJob.of("theirs-too"), NewJob.of("ours-too")));
		ClaimRequest request = new ClaimRequest(SESSION, List.of(range("default", 4)), 2, Set.of("ours", "ours-too"),
				Deadlines.always(DEADLINE), Load.empty(1));
		assertThat(this.store.claim(request)).extracting((job) -> job.claim().id())
			.containsExactly(ids.get(1), ids.get(3));
		assertThat(this.store.claim(request)).isEmpty();
		assertThat(claimIds(10)).containsExactly(ids.get(0), ids.get(2));
	}

	@Test
	void rangesOfOnePriorityShareAClaim() {
		for (String queue : List.of("a", "b", "c")) {
			enqueueAll(IntStream.range(0, queue.equals("b") ? 4 : 100)
				.mapToObj((i) -> NewJob.of("any").queue(queue))
				.toList());
		}
		enqueueAll(IntStream.range(0, 3).mapToObj((i) -> NewJob.of("any").queue("urgent").priority(9)).toList());
		List<ReadyRange> ranges = List.of(range("urgent", 9), range("a", 4), range("b", 4), range("c", 4));
		List<ClaimedJob> jobs = claim(ranges, 63);
		assertThat(jobs).extracting((job) -> job.claim().id()).doesNotHaveDuplicates();
		Map<String, Long> claimed = jobs.stream()
			.collect(Collectors.groupingBy(ClaimedJob::queue, Collectors.counting()));
		assertThat(claimed).containsEntry("urgent", 3L).containsEntry("b", 4L);
		assertThat(claimed.get("a") + claimed.get("c")).isEqualTo(56);
		assertThat(claimed.get("a")).isBetween(20L, 36L);
		assertThat(claim(List.of(range("a", 4), range("c", 4)), 8)).extracting(ClaimedJob::queue).containsOnly("a");
	}

	@Test
	void jobsBehindManyThatHaveExpiredAreFoundAtOnce() {
		enqueueAll(
				IntStream.range(0, 1_200).mapToObj((i) -> NewJob.of("any").expiresAfter(Duration.ofHours(1))).toList());
		this.rows.sql("UPDATE jobqueue_job SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		long behind = enqueue(NewJob.of("any"));
		assertThat(claimIds(3)).containsExactly(behind);
	}

	@Test
	void anExpiredJobIsArchivedInsteadOfClaimed() {
		List<Long> ids = enqueueAll(List.of(NewJob.of("any", "x").expiresAfter(Duration.ofHours(1)),
				NewJob.of("any").expiresAfter(Duration.ofHours(1))));
		this.rows.set(ids.get(0), "expires_at = TIMESTAMPADD(SECOND, -1, {now})");
		LiveRow live = this.rows.live(ids.get(0));
		assertThat(claimIds(10)).containsExactly(ids.get(1));
		ArchivedRow archived = this.rows.archived(ids.get(0));
		assertThat(archived).isEqualTo(ArchivedRow.from(live, StateCode.of(JobState.EXPIRED), archived.finishedAt()));
		assertThat(this.rows.isLive(ids.get(0))).isFalse();
	}

	@Test
	void aLargePayloadIsReadByItself() {
		String payload = "x".repeat(10_000);
		long id = enqueue(NewJob.of("any", payload));
		assertThat(claim(1).get(0).payload()).isEqualTo(new ClaimedJob.Payload(null, true));
		assertThat(this.store.payload(id)).isEqualTo(payload);
	}

	@Test
	void aLargePayloadThatPlainSqlPutIntoTheRowIsReadByItselfToo() {
		String payload = "x".repeat(10_000);
		this.rows.sql("INSERT INTO jobqueue_job (type, payload) VALUES ('any', :payload)")
			.param("payload", payload)
			.update();
		ClaimedJob job = claim(1).get(0);
		assertThat(job.payload()).isEqualTo(new ClaimedJob.Payload(null, true));
		assertThat(this.store.payload(job.claim().id())).isEqualTo(payload);
	}

	@Test
	void thePayloadOfAJobThatIsGoneIsNull() {
		long id = enqueue(NewJob.of("any", "x".repeat(10_000)));
		assertThat(this.store.payload(id)).isNotNull();
		this.store.cancel(id);
		assertThat(this.store.payload(id)).isNull();
		assertThat(this.store.payload(-1)).isNull();
	}

	@Test
	void suspectsComeInEverSmallerCompany() {
		List<Long> ids = enqueue(40);
		suspect(ids, 1);
		assertThat(claim(100)).hasSize(16);
		assertThat(runningCompany()).containsOnly(16);
		suspect(ids, 2);
		assertThat(claim(100)).hasSize(4);
		assertThat(runningCompany()).containsOnly(4);
		suspect(ids, 3);
		assertThat(claim(100)).hasSize(1);
		assertThat(runningCompany()).containsOnly(1);
	}

	/**
	 * Of virtual threads there may be more than the column of the limit can hold.
	 */
	@Test
	void suspectsAreClaimedByAWorkerOfVeryManySlots() {
		suspect(enqueue(3), 1);
		assertThat(claim(ready((range) -> true), 100, Load.empty(100_000))).hasSize(3);
		assertThat(runningCompany()).containsOnly((int) Short.MAX_VALUE);
	}

	@Test
	void oneThatBearsLessCompanyIsLeftForAnotherClaim() {
		List<Long> ids = enqueue(5);
		suspect(ids, 2);
		this.rows.set(ids.get(2), "crashes = 3");
		List<Long> others = new ArrayList<>(ids);
		others.remove(2);
		assertThat(claimIds(100)).containsExactlyElementsOf(others);
		assertThat(runningCompany()).containsOnly(4);
		assertThat(claimIds(100)).containsExactly(ids.get(2));
	}

	/**
	 * What the worker holds already counts.
	 */
	@Test
	void suspectsJoinOthersAsLongAsTheyAreFew() {
		List<Long> ids = enqueue(20);
		suspect(ids.subList(0, 10), 1);
		List<ReadyRange> ranges = ready((range) -> true);
		Load load = new Load(9, Suspicion.NO_LIMIT, 8);
		assertThat(claim(ranges, 100, load)).hasSize(7);
		assertThat(claim(ranges, 100, new Load(16, 16, 8))).isEmpty();
		assertThat(claim(ranges, 100, new Load(30, Suspicion.NO_LIMIT, 50))).hasSize(13);
	}

	private List<ClaimedJob> claim(List<ReadyRange> ranges, int limit, Load load) {
		return this.store.claim(new ClaimRequest(SESSION, ranges, limit, Set.of(), Deadlines.always(DEADLINE), load));
	}

	private long session(String name) {
		return this.sessions.open(new NewSession(name, 1, List.of(), List.of()), Duration.ofHours(1));
	}

	private List<Long> claimIds(long session, Degree degree) {
		return claim(session, degree).stream().map((job) -> job.claim().id()).toList();
	}

	private List<ClaimedJob> claim(long session, Degree degree) {
		return this.store.claim(new ClaimRequest(session, ready((range) -> range.degree() == degree), 10, Set.of(),
				Deadlines.always(DEADLINE), Load.empty(4)));
	}

	/**
	 * It needs no empty worker.
	 */
	@Test
	void aJobThatMayKillTheDatabaseRunsWhileNoOtherSuspectRunsAnywhere() {
		long mine = session("mine");
		long theirs = session("theirs");
		List<Long> ids = enqueue(3);
		this.rows.set(ids.get(0), "state = 8, outages = 4");
		this.rows.set(ids.get(1), "state = 2, outages = 1");
		List<ClaimedJob> other = claim(theirs, Degree.FIRST);
		assertThat(other).extracting((job) -> job.claim().id()).containsExactly(ids.get(1));
		assertThat(claimIds(mine, Degree.LIMITED)).as("while another suspect runs").isEmpty();
		this.store.finish(List.of(new Finish.Ack(other.get(0).claim())));
		List<ClaimedJob> solo = claim(ready((range) -> true), 10, new Load(3, Suspicion.NO_LIMIT, 4));
		assertThat(solo).as("with an ordinary job, on a worker that holds others")
			.extracting((job) -> job.claim().id())
			.containsExactlyInAnyOrder(ids.get(0), ids.get(2));
		long next = enqueue(NewJob.of("any"));
		this.rows.set(next, "state = 2, crashes = 1");
		assertThat(claimIds(theirs, Degree.FIRST)).as("while one runs solo").isEmpty();
		this.store.finish(List.of(new Finish.Ack(solo.get(0).claim()), new Finish.Ack(solo.get(1).claim())));
		assertThat(claimIds(theirs, Degree.FIRST)).as("as soon as it has ended").containsExactly(next);
	}

	/**
	 * For some seconds. A suspect that runs for hours elsewhere must not keep all others.
	 */
	@Test
	void aJobThatMustRunSoloKeepsItsTurnForAWhile() {
		long mine = session("mine");
		long theirs = session("theirs");
		List<Long> ids = enqueue(4);
		this.rows.set(ids.get(0), "state = 8, outages = 4");
		this.rows.set(ids.get(1), "state = 2, crashes = 1");
		assertThat(claimIds(theirs, Degree.FIRST)).containsExactly(ids.get(1));
		this.rows.set(ids.get(2), "state = 2, crashes = 1");
		this.rows.set(ids.get(3), "state = 8, outages = 3");
		assertThat(claimIds(mine, Degree.LIMITED)).containsExactly(ids.get(3));
		assertThat(claimIds(theirs, Degree.FIRST)).as("reserved").isEmpty();
		setReservedUntil(0);
		assertThat(claimIds(mine, Degree.LIMITED)).isEmpty();
		assertThat(claimIds(theirs, Degree.FIRST)).as("not reserved again so soon").containsExactly(ids.get(2));
	}

	/**
	 * Many jobs may have run at each of some losses of the database; they do not run one
	 * by one at once.
	 */
	@Test
	void limitedJobsRunSixteenAtATimeInTheCluster() {
		long mine = session("mine");
		long theirs = session("theirs");
		enqueue(20).forEach((id) -> this.rows.set(id, "state = 8, outages = 3"));
		assertThat(claimIds(mine, Degree.LIMITED)).hasSize(10);
		List<Long> running = claimIds(theirs, Degree.LIMITED);
		assertThat(running).hasSize(6);
		assertThat(claimIds(mine, Degree.LIMITED)).isEmpty();
		this.store.finish(List.of(new Finish.Ack(new Claim(running.get(0), 1, theirs))));
		assertThat(claimIds(mine, Degree.LIMITED)).hasSize(1);
	}

	/**
	 * Also on a worker that has a single place.
	 */
	@Test
	void limitedJobsThatMayNotStartDoNotTakeThePlacesOfOthers() {
		List<Long> ids = enqueue(4);
		this.rows.set(ids.get(0), "state = 2, crashes = 1");
		assertThat(claimIds(session("theirs"), Degree.FIRST)).containsExactly(ids.get(0));
		this.rows.set(ids.get(1), "state = 8, outages = 4");
		this.rows.set(ids.get(2), "state = 8, outages = 4");
		assertThat(claim(ready((range) -> true), 1, Load.empty(1))).extracting((job) -> job.claim().id())
			.containsExactly(ids.get(3));
	}

	@Test
	void aJobThatHasDoneBothNeedsAnEmptyWorkerAndMustRunSolo() {
		List<Long> ids = enqueue(2);
		this.rows.set(ids.get(0), "state = 7, crashes = 3, outages = 4");
		this.rows.set(ids.get(1), "state = 2, crashes = 1");
		List<ClaimedJob> other = claim(session("theirs"), Degree.FIRST);
		assertThat(claimIds(session("mine"), Degree.STRONG)).as("while another suspect runs").isEmpty();
		this.store.finish(List.of(new Finish.Ack(other.get(0).claim())));
		assertThat(claimIds(session("mine"), Degree.STRONG)).containsExactly(ids.get(0));
		assertThat(runningCompany()).containsExactly(1);
	}

	@Test
	void oneSessionHasTheQuarantine() {
		long mine = session("mine");
		long theirs = session("theirs");
		assertThat(this.store.enterQuarantine(mine)).isTrue();
		assertThat(this.store.enterQuarantine(theirs)).isFalse();
		assertThat(this.store.leaveQuarantine(theirs)).isTrue();
		assertThat(this.store.enterQuarantine(theirs)).isFalse();
		assertThat(this.store.leaveQuarantine(mine)).isTrue();
		assertThat(this.store.enterQuarantine(theirs)).isTrue();
	}

	@Test
	void aReservationOfAClockThatWasSetBackIsNone() {
		long mine = session("mine");
		this.rows.set(enqueue(1).get(0), "state = 2, crashes = 1");
		setReservedUntil(60);
		assertThat(claimIds(mine, Degree.FIRST)).hasSize(1);
	}

	private void setReservedUntil(int seconds) {
		this.rows.sql("UPDATE jobqueue_quarantine SET reserved_until = TIMESTAMPADD(SECOND, " + seconds + ", {now})")
			.update();
	}

	/**
	 * As a node that stands still in the middle of such a claim locks it.
	 */
	@Test
	void nobodyWaitsForTheQuarantineWhileItsRowIsLocked() {
		long mine = session("mine");
		List<Long> ids = enqueue(2);
		this.rows.set(ids.get(0), "state = 2, crashes = 1");
		transaction().executeWithoutResult((status) -> {
			this.rows.sql("SELECT id FROM jobqueue_quarantine FOR UPDATE").query(Long.class).list();
			CompletableFuture.runAsync(() -> {
				assertThat(this.store.enterQuarantine(mine)).isFalse();
				assertThat(this.store.leaveQuarantine(mine)).isFalse();
				assertThat(claim(ready((range) -> true), 10, Load.empty(4))).extracting((job) -> job.claim().id())
					.containsExactly(ids.get(1));
			}).join();
		});
		assertThat(this.store.leaveQuarantine(mine)).isTrue();
		assertThat(claimIds(mine, Degree.FIRST)).containsExactly(ids.get(0));
	}

	/**
	 * As a node that stands still in the middle of a claim of suspects leaves it.
	 */
	@Test
	void aClaimOfSuspectsDoesNotKeepOthersFromThem() {
		assumeTrue(this.database.dialect() != Dialect.H2, "H2 has no shared locks");
		this.rows.set(enqueue(1).get(0), "state = 2, crashes = 1");
		transaction().executeWithoutResult((status) -> {
			new Quarantine(this.database.ofCaller()).claimable(ready((range) -> true));
			CompletableFuture.runAsync(() -> assertThat(claim(ready((range) -> true), 10, Load.empty(4))).hasSize(1))
				.join();
		});
	}

	@Test
	void theRowOfTheQuarantineComesBackAfterATruncate() {
		this.rows.sql("DELETE FROM jobqueue_quarantine").update();
		this.rows.set(enqueue(1).get(0), "state = 2, crashes = 1");
		assertThat(claimIds(session("mine"), Degree.FIRST)).hasSize(1);
		assertThat(this.store.enterQuarantine(session("theirs"))).isTrue();
	}

	@Test
	void theQuarantineOfASessionThatHasEndedIsVoid() {
		long gone = this.sessions.open(new NewSession("gone", 1, List.of(), List.of()), Duration.ofHours(1));
		assertThat(this.store.enterQuarantine(gone)).isTrue();
		this.sessions.close(gone);
		long mine = this.sessions.open(new NewSession("mine", 1, List.of(), List.of()), Duration.ofHours(1));
		assertThat(this.store.enterQuarantine(mine)).isTrue();
		assertThat(this.store.enterQuarantine(mine)).as("again").isTrue();
	}

	/**
	 * The ranges as a worker asks for them: those of suspects first.
	 */
	private List<ReadyRange> ready(Predicate<ReadyRange> which) {
		return this.store.ready(0, Set.of(), false)
			.ranges()
			.stream()
			.filter(which)
			.sorted(Comparator.comparing(ReadyRange::isSuspect).reversed())
			.toList();
	}

	@Test
	void jobsLeftOutForTheSakeOfASuspectCanBeClaimedByOthers() {
		List<Long> ids = enqueue(2);
		suspect(ids, 3);
		assertThat(claimIds(100)).containsExactly(ids.get(0));
		assertThat(this.rows.live(ids.get(1)).state()).isEqualTo(StateCode.STRONG_SUSPECT);
		assertThat(claimIds(100)).containsExactly(ids.get(1));
	}

	private void suspect(List<Long> ids, int crashes) {
		ids.forEach((id) -> this.rows.set(id,
				"state = " + ((crashes == 1) ? 2 : 7) + ", session_id = 0, crashes = " + crashes));
	}

	private List<Integer> runningCompany() {
		return this.rows.sql("SELECT held_limit FROM jobqueue_job WHERE state = 1").query(Integer.class).list();
	}

}
