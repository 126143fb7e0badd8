package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.jobqueue.AuditEntry;
import io.jobqueue.CurrentActor;
import io.jobqueue.Job;
import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.Operation;
import io.jobqueue.maintenance.Chore;
import io.jobqueue.maintenance.RunOperations;
import io.jobqueue.store.Audit;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredOperations;
import io.jobqueue.store.jdbc.inspect.JdbcJobListing;
import io.jobqueue.store.jdbc.operation.JdbcAudit;
import io.jobqueue.store.jdbc.operation.JdbcOperations;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What is done to many jobs in the background.
 */
@ForEachDatabase
class OperationsTests extends StoreTests {

	private static final JobFilter DEAD = JobFilter.of(JobState.DEAD);

	private static final JobFilter READY = JobFilter.of(JobState.READY);

	private final AtomicBoolean agenda = new AtomicBoolean();

	private final List<Long> cancelled = new ArrayList<>();

	private JdbcOperations operationStore;

	private StoredOperations operations;

	private RunOperations chore;

	@BeforeEach
	void createOperations() {
		QueueListeners listeners = new QueueListeners();
		listeners.add(new QueueListener() {

			@Override
			public void cancelled(long id) {
				OperationsTests.this.cancelled.add(id);
			}

		});
		this.operationStore = new JdbcOperations(this.database, StoreSettings.DEFAULT);
		this.operations = new StoredOperations(this.operationStore, new JdbcJobListing(this.database), listeners,
				new Audit(new JdbcAudit(this.database), CurrentActor.UNKNOWN), 10_000);
		this.chore = new RunOperations(this.operationStore, this.agenda::get, listeners);
		listeners.add(this.chore);
	}

	private List<Long> die(String type, int jobs) {
		enqueueAll(IntStream.range(0, jobs).mapToObj((number) -> NewJob.of(type)).toList());
		List<ClaimedJob> claimed = claim(jobs);
		this.store.finish(claimed.stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		return claimed.stream().map((job) -> job.claim().id()).toList();
	}

	private Operation now(Operation operation) {
		return this.operations.find(operation.id()).orElseThrow();
	}

	@Test
	void deadJobsOfATypeAreRedriven() {
		die("mail", 450);
		die("other", 3);
		Operation operation = this.operations.redrive(DEAD.type("mail"));
		assertThat(operation.expected()).isEqualTo(new JobCount(450, false));
		assertThat(operation.state()).isEqualTo(Operation.State.RUNNING);
		assertThat(operation.changed()).isZero();
		assertThat(this.chore.runOnce()).isEqualTo(450);
		Operation done = now(operation);
		assertThat(done.state()).isEqualTo(Operation.State.DONE);
		assertThat(done.changed()).isEqualTo(450);
		assertThat(done.endedAt()).isAfterOrEqualTo(done.startedAt());
		assertThat(done.problem()).isEmpty();
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(3);
		assertThat(this.rows.count("jobqueue_dead_job")).isEqualTo(3);
	}

	@Test
	void whatDiesOfItAgainIsNotRedrivenAgain() {
		List<Long> ids = die("mail", 250);
		Operation operation = this.operations.redrive(DEAD);
		assertThat(this.operationStore.turn(operation.id(), 100).redriven()).isEqualTo(100);
		List<ClaimedJob> again = claim(300);
		assertThat(again).hasSize(100);
		this.store.finish(again.stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		die("mail", 5);
		this.agenda.set(true);
		assertThat(this.chore.runOnce()).isEqualTo(150);
		assertThat(now(operation).changed()).isEqualTo(250);
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(105);
		assertThat(ids).hasSize(250);
	}

	@Test
	void deadJobsOfACauseAreRedriven() {
		die("mail", 3);
		enqueue(1);
		this.store.finish(List
			.of(new Finish.DeadLetter(claim(1).get(0).claim(), new Failure(1, "other.Type", "Another one", ""))));
		long cause = new JdbcJobListing(this.database).deadCauses(1).get(0).id();
		this.operations.redrive(DEAD.cause(cause));
		assertThat(this.chore.runOnce()).isEqualTo(3);
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(1);
	}

	@Test
	void readyJobsOfAQueueAreCancelledAndThoseThatComeLaterAreNot() {
		List<Long> mail = enqueueAll(
				IntStream.range(0, 300).mapToObj((number) -> NewJob.of("any").queue("mail")).toList());
		enqueueAll(List.of(NewJob.of("any").queue("other")));
		Operation operation = this.operations.cancel(READY.queue("mail"));
		long later = enqueue(NewJob.of("any").queue("mail"));
		assertThat(this.chore.runOnce()).isEqualTo(300);
		assertThat(now(operation).changed()).isEqualTo(300);
		assertThat(this.cancelled).containsExactlyInAnyOrderElementsOf(mail);
		assertThat(this.rows.isLive(later)).isTrue();
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(2);
	}

	/**
	 * More than are sorted in memory, behind others.
	 */
	@Test
	void manyJobsAreGoneThroughInSeveralTurns() {
		enqueue(5_200);
		enqueueAll(IntStream.range(0, 30).mapToObj((number) -> NewJob.of("any").queue("mail")).toList());
		enqueue(4_500);
		this.operations.cancel(READY.queue("mail"));
		assertThat(this.chore.runOnce()).isEqualTo(30);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(9_700);
	}

	@Test
	void aJobThatHasStartedMeanwhileIsNotCancelledAsReady() {
		long id = enqueue(NewJob.of("any").queue("mail"));
		Operation operation = this.operations.cancel(READY.queue("mail"));
		Claim claim = claim(1).get(0).claim();
		assertThat(claim.id()).isEqualTo(id);
		this.chore.runOnce();
		assertThat(now(operation).changed()).isZero();
		assertThat(this.store.finish(List.of(new Finish.Ack(claim)))).isEmpty();
	}

	@Test
	void waitingAndRunningJobsAreCancelled() {
		enqueueAll(List.of(NewJob.of("any").orderKey("k"), NewJob.of("any").orderKey("k")));
		this.operations.cancel(JobFilter.of(JobState.WAITING).orderKey("k"));
		assertThat(this.chore.runOnce()).isEqualTo(2);
		claimed(NewJob.of("running"));
		this.operations.cancel(JobFilter.of(JobState.RUNNING).type("running"));
		assertThat(this.chore.runOnce()).isEqualTo(1);
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void anotherNodeGoesOnWhereOneHasStopped() {
		die("mail", 450);
		Operation operation = this.operations.redrive(DEAD);
		assertThat(this.operationStore.turn(operation.id(), 200).goesOn()).isTrue();
		assertThat(now(operation).changed()).isEqualTo(200);
		RunOperations other = new RunOperations(new JdbcOperations(this.database, StoreSettings.DEFAULT), () -> true,
				new QueueListeners());
		assertThat(other.runOnce()).isEqualTo(250);
		assertThat(now(operation).changed()).isEqualTo(450);
		assertThat(this.chore.runOnce()).isZero();
	}

	@Test
	void twoNodesDoNotWorkOnOneAtOnce() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		die("mail", 10);
		Operation operation = this.operations.redrive(DEAD);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_operation", "id", List.of(operation.id()));
			assertThat(this.chore.runOnce()).isZero();
		}
		this.agenda.set(true);
		assertThat(this.chore.runOnce()).isEqualTo(10);
	}

	@Test
	void anOperationThatIsStoppedGoesNoFurther() {
		die("mail", 300);
		Operation operation = this.operations.redrive(DEAD);
		this.operationStore.turn(operation.id(), 100);
		assertThat(this.operations.stop(operation.id())).isTrue();
		assertThat(this.operations.stop(operation.id())).isFalse();
		this.agenda.set(true);
		assertThat(this.chore.runOnce()).isZero();
		assertThat(now(operation).state()).isEqualTo(Operation.State.STOPPED);
		assertThat(now(operation).changed()).isEqualTo(100);
		assertThat(now(operation).endedAt()).isNotNull();
	}

	@Test
	void jobsThatSomebodyHasLockedAreAskedForAgainAndThenLeft() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		List<Long> ids = enqueueAll(
				IntStream.range(0, 5).mapToObj((number) -> NewJob.of("any").queue("mail")).toList());
		Operation operation = this.operations.cancel(READY.queue("mail"));
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(2, 3));
			assertThat(this.chore.runOnce()).isEqualTo(4);
		}
		assertThat(now(operation).state()).isEqualTo(Operation.State.DONE);
		assertThat(now(operation).problem()).isEqualTo("1 job(s) were locked by other transactions, and are left.");
		assertThat(this.rows.isLive(ids.get(2))).isTrue();
	}

	@Test
	void deadJobsThatSomebodyHasLockedAreAskedForAgainAndNotLeftAlone() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		List<Long> ids = die("mail", 3);
		Operation operation = this.operations.redrive(DEAD);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_archive", "id", ids.subList(1, 2));
			long next = this.operationStore.next(operation.id()).orElseThrow();
			assertThat(this.operationStore.passOver(operation.id(), next, null).passed()).isTrue();
		}
		this.agenda.set(true);
		this.chore.runOnce();
		assertThat(now(operation).changed()).isEqualTo(3);
		assertThat(now(operation).problem()).isEmpty();
	}

	@Test
	void aShortOperationDoesNotWaitForTheEndOfALongOne() {
		die("long", 2_500);
		die("short", 5);
		Operation longOne = this.operations.redrive(DEAD.type("long"));
		Operation shortOne = this.operations.redrive(DEAD.type("short"));
		List<Operation.State> states = new ArrayList<>();
		QueueListeners listeners = new QueueListeners();
		listeners.add(new QueueListener() {

			@Override
			public void becameReady() {
				if (now(shortOne).state() == Operation.State.DONE) {
					states.add(now(longOne).state());
				}
			}

		});
		new RunOperations(this.operationStore, () -> true, listeners).runOnce();
		assertThat(states).startsWith(Operation.State.RUNNING).endsWith(Operation.State.DONE);
		assertThat(now(longOne).changed()).isEqualTo(2_500);
	}

	@Test
	void aJobThatCannotBeChangedIsPassedOver() {
		List<Long> ids = die("mail", 30);
		this.rows.setArchived(ids.get(7), "type = 'refused'");
		this.rows.sql("ALTER TABLE jobqueue_job ADD CONSTRAINT refused CHECK (type <> 'refused')").update();
		try {
			Operation operation = this.operations.redrive(DEAD);
			assertThat(this.chore.runOnce()).isEqualTo(29);
			assertThat(now(operation).state()).isEqualTo(Operation.State.DONE);
			assertThat(now(operation).problem())
				.startsWith("1 job(s) could not be changed. The last was job " + ids.get(7));
			assertThat(this.rows.isArchived(ids.get(7))).isTrue();
		}
		finally {
			this.rows.sql("ALTER TABLE jobqueue_job DROP CONSTRAINT refused").update();
		}
	}

	/** Another node may have passed over the one that failed. */
	@Test
	void noJobIsPassedOverForAnotherOne() {
		List<Long> ids = die("mail", 3);
		Operation operation = this.operations.redrive(DEAD);
		long next = this.operationStore.next(operation.id()).orElseThrow();
		assertThat(this.operationStore.passOver(operation.id(), next, "refused").passed()).isTrue();
		assertThat(this.operationStore.passOver(operation.id(), next, "refused").passed()).isFalse();
		assertThat(now(operation).problem()).startsWith("1 job(s)").contains("job " + next);
		this.agenda.set(true);
		assertThat(this.chore.runOnce()).isEqualTo(2);
		assertThat(ids).filteredOn(this.rows::isArchived).containsExactly(next);
	}

	@Test
	void aJobThatCannotBeChangedIsCountedOnceHoweverManyPassesThereAre() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for locks");
		List<Long> ids = enqueueAll(
				IntStream.range(0, 5).mapToObj((number) -> NewJob.of("any").queue("mail")).toList());
		Operation operation = this.operations.cancel(READY.queue("mail"));
		this.rows.sql("ALTER TABLE jobqueue_archive ADD CONSTRAINT refused CHECK (id <> " + ids.get(1) + ")").update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(3, 4));
			assertThat(this.chore.runOnce()).isEqualTo(3);
		}
		finally {
			this.rows.sql("ALTER TABLE jobqueue_archive DROP CONSTRAINT refused").update();
		}
		assertThat(now(operation).state()).isEqualTo(Operation.State.DONE);
		assertThat(now(operation).problem()).startsWith("1 job(s) were locked by other transactions, and are left.")
			.contains("1 job(s) could not be changed. The last was job " + ids.get(1));
	}

	@Test
	void oneOfWhichNoJobCanBeChangedIsStopped() {
		die("mail", 200);
		this.rows.sql("UPDATE jobqueue_archive SET type = 'refused'").update();
		this.rows.sql("ALTER TABLE jobqueue_job ADD CONSTRAINT refused CHECK (type <> 'refused')").update();
		try {
			Operation operation = this.operations.redrive(DEAD);
			this.chore.runOnce();
			assertThat(now(operation).state()).isEqualTo(Operation.State.STOPPED);
			assertThat(now(operation).problem()).startsWith("50 jobs in a row could not be changed");
			assertThat(now(operation).changed()).isZero();
		}
		finally {
			this.rows.sql("ALTER TABLE jobqueue_job DROP CONSTRAINT refused").update();
		}
	}

	@Test
	void jobsThatDiedBeforeTheClockWentBackAreRedriven() {
		List<Long> ids = die("mail", 3);
		ids.forEach((id) -> this.rows.setArchived(id, "finished_at = '2999-01-01 00:00:00.000001'"));
		Operation operation = this.operations.redrive(DEAD);
		this.chore.runOnce();
		assertThat(now(operation).changed()).isEqualTo(3);
	}

	@Test
	void whatHasNotEndedYetCannotBeMeant() {
		die("mail", 1);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.operations.redrive(DEAD.between(Instant.now().plusSeconds(3_600), null)));
		assertThat(this.operations.list(10)).isEmpty();
	}

	@Test
	void isForgottenWithTheAuditThatTellsOfIt() {
		die("mail", 1);
		Operation ended = this.operations.redrive(DEAD);
		this.chore.runOnce();
		Operation running = this.operations.cancel(JobFilter.of(JobState.READY).type("mail"));
		this.rows
			.sql("UPDATE jobqueue_operation SET started_at = '2001-01-01', ended_at = '2001-01-01' WHERE id = "
					+ ended.id())
			.update();
		new JdbcAudit(this.database).prune(Duration.ofDays(90), 100);
		assertThat(this.operations.list(10)).extracting(Operation::id).containsExactly(running.id());
	}

	/**
	 * With another filter than was meant it would be done to other jobs.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "queue = 'no such name!'", "position = 'nowhere'", "action = 77", "action = 1",
			"job_state = 0", "order_key = ''" })
	void oneThatCannotBeUnderstoodIsGivenUpAndStopsNoOther(String hostile) {
		die("mail", 3);
		Operation odd = this.operations.redrive(DEAD.type("mail"));
		Operation good = this.operations.redrive(DEAD.type("mail"));
		this.rows.sql("UPDATE jobqueue_operation SET " + hostile + " WHERE id = " + odd.id()).update();
		this.chore.runOnce();
		assertThat(now(odd).state()).isEqualTo(Operation.State.STOPPED);
		assertThat(now(odd).problem()).isNotEmpty();
		assertThat(now(good).state()).isEqualTo(Operation.State.DONE);
		assertThat(now(good).changed()).isEqualTo(3);
		assertThat(this.operations.list(10)).hasSize(2);
	}

	@Test
	void withoutAnOperationNothingIsAsked() {
		assertThat(this.chore.runOnce()).isEqualTo(Chore.NOT_DUE);
		assertThat(new ReadAgenda(this.database).get().operations()).isFalse();
		die("mail", 1);
		this.operations.redrive(DEAD);
		assertThat(new ReadAgenda(this.database).get().operations()).isTrue();
		this.chore.runOnce();
		assertThat(new ReadAgenda(this.database).get().operations()).isFalse();
	}

	@Test
	void whatCannotBeMeantIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.redrive(READY));
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.cancel(DEAD));
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.cancel(JobFilter.all()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.cancel(READY));
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.list(0));
		assertThat(this.operations.find(77)).isEmpty();
		assertThat(this.operations.stop(77)).isFalse();
	}

	@Test
	void operationsAreListedAndWrittenToTheAudit() {
		die("mail", 2);
		Operation first = this.operations.redrive(DEAD.queue("default").type("mail"));
		Operation second = this.operations.cancel(READY.type("none"));
		assertThat(this.operations.list(10)).extracting(Operation::id).containsExactly(second.id(), first.id());
		assertThat(this.operations.list(10).get(1).filter().type()).isEqualTo("mail");
		AuditEntry entry = new JdbcAudit(this.database).list(null, 10).get(1);
		assertThat(entry.action()).isEqualTo("redrive");
		assertThat(entry.target()).isEqualTo("jobs that are DEAD, queue default, type mail, 2");
	}

	@Test
	void aDeadJobGetsAnotherPayloadAndRunsWithIt() {
		long id = dead(NewJob.of("any", "{\"id\":\"x\"}"));
		assertThat(this.operations.redrive(id, "{\"id\":\"y\"}", "{}")).as("somebody else has changed it").isFalse();
		assertThat(this.operations.redrive(id, "{\"id\":\"x\"}", "{\"id\":42}")).isTrue();
		assertThat(this.operations.redrive(id, "{\"id\":\"x\"}", "{}")).as("not dead any more").isFalse();
		assertThat(claim(1).get(0).payload().text()).isEqualTo("{\"id\":42}");
	}

	@Test
	void aLargePayloadIsComparedToo() {
		String before = "{\"text\":\"" + "x".repeat(9_000) + "\"}";
		long id = dead(NewJob.of("any", before));
		assertThat(this.operations.redrive(id, before + " ", "{}")).isFalse();
		assertThat(this.operations.redrive(id, before, "{}")).isTrue();
	}

	@Test
	void aJobIsCancelledInTheStateInWhichItWasSeen() {
		long id = enqueue(NewJob.of("any", "p"));
		assertThat(this.operations.cancel(id, JobState.RUNNING)).isFalse();
		claim(1);
		assertThat(this.operations.cancel(id, JobState.READY)).as("it runs by now").isFalse();
		assertThat(this.operations.cancel(id, JobState.RUNNING)).isTrue();
		assertThat(this.operations.cancel(id, JobState.RUNNING)).as("it has ended").isFalse();
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.cancel(id, JobState.DEAD));
	}

	@Test
	void aJobIsRescheduledIfItStillHasTheTimeThatWasSeen() {
		long id = enqueue(NewJob.of("any", "p"));
		Instant seen = this.store.find(id).orElseThrow().availableAt();
		Instant tomorrow = seen.plus(Duration.ofDays(1));
		assertThat(this.operations.reschedule(id, seen, tomorrow)).isTrue();
		assertThat(this.operations.reschedule(id, seen, Instant.EPOCH)).as("a colleague was first").isFalse();
		assertThat(this.store.find(id).orElseThrow().availableAt()).isEqualTo(tomorrow);
		assertThat(this.operations.reschedule(id, tomorrow, Instant.EPOCH)).isTrue();
		assertThat(claim(1)).hasSize(1);
		assertThat(this.operations.reschedule(id, seen, tomorrow)).as("it runs").isFalse();
	}

	/**
	 * As after TRUNCATE jobqueue_job.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 3, 9_000 })
	void thePayloadOfALiveJobWithTheSameIdStaysItsOwn(int length) {
		long id = dead(NewJob.of("any", "small"));
		String live = "y".repeat(9_000);
		this.rows.sql("INSERT INTO jobqueue_job (id, type, large_payload) VALUES (" + id + ", 'live', 1)").update();
		this.rows.sql("INSERT INTO jobqueue_payload (job_id, payload) VALUES (" + id + ", '" + live + "')").update();
		String other = "z".repeat(length);
		assertThat(this.operations.redrive(id, "small", other)).isTrue();
		assertThat(this.store.find(id).orElseThrow().payload()).isEqualTo(live);
		long moved = this.rows.sql("SELECT id FROM jobqueue_job WHERE type = 'any'").query(Long.class).single();
		assertThat(moved).isNotEqualTo(id);
		assertThat(this.store.find(moved).orElseThrow().payload()).isEqualTo(other);
	}

	@Test
	void aNameThatIsLongIsShortened() {
		StoredOperations ofLongName = new StoredOperations(this.operationStore, new JdbcJobListing(this.database),
				new QueueListeners(), new Audit(new JdbcAudit(this.database), () -> Optional.of("n".repeat(400))), 10);
		assertThat(ofLongName.redrive(DEAD).actor()).hasSize(255);
		AuditEntry entry = new JdbcAudit(this.database).list(null, 1).get(0);
		assertThat(entry.changed()).as("it has only begun").isNull();
	}

	@Test
	void aPayloadMayBecomeLargeAndSmallAgain() {
		long id = dead(NewJob.of("any", "small"));
		String large = "x".repeat(9_000);
		assertThat(this.operations.redrive(id, "small", large)).isTrue();
		assertThat(this.rows.count("jobqueue_payload")).isOne();
		assertThat(this.store.find(id).orElseThrow().payload()).isEqualTo(large);
		Claim claim = claim(1).get(0).claim();
		this.store.finish(List.of(new Finish.DeadLetter(claim, failure())));
		assertThat(this.operations.redrive(id, large, "small")).isTrue();
		assertThat(this.rows.count("jobqueue_payload")).isZero();
		Job job = this.store.find(id).orElseThrow();
		assertThat(job.payload()).isEqualTo("small");
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.redrive(id, "small", "ü".repeat(5_001)))
			.withMessageContaining("10002 bytes");
	}

}
