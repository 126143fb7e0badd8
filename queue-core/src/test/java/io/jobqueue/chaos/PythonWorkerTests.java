package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.DeadJobReference;
import io.jobqueue.test.Programs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The worker of {@code examples/python-worker}, which keeps the SQL contract, beside Java
 * workers.
 */
class PythonWorkerTests extends ChaosTests {

	private static final Duration DURATION = Duration.ofMinutes(3);

	private static final Duration AT_MOST = DURATION.plusMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(40);

	private int killedWithJobs;

	@BeforeEach
	void needsPython() {
		require(Programs.PYTHON);
	}

	@Test
	@TakesLong
	void eachIsKilledInTurn() throws InterruptedException {
		List<WorkerProcess> python = new ArrayList<>(List.of(python(), python()));
		List<WorkerProcess> java = new ArrayList<>(List.of(java()));
		// Somebody has to rescue while the other is being started again.
		java().awaitReady();
		python.forEach(WorkerProcess::awaitReady);
		java.forEach(WorkerProcess::awaitReady);
		Producer producer = this.chaos.producer(PACE);
		long start = System.nanoTime();
		for (int turn = 0; before(start, DURATION) || (this.killedWithJobs == 0 && before(start, AT_MOST)); turn++) {
			Thread.sleep(1000 + this.chaos.random.nextInt(1000));
			boolean ofPython = turn % 2 == 0;
			List<WorkerProcess> workers = ofPython ? python : java;
			WorkerProcess victim = workers.remove(0).awaitReady();
			kill(victim, ofPython);
			workers.add(ofPython ? python() : java());
		}
		producer.stop();
		this.chaos.awaitDrained();
		assertThat(this.killedWithJobs).as("workers in Python that were killed while they held a job").isPositive();
		assertThat(this.chaos.won("python")).as("won by Python").isPositive();
		assertThat(this.chaos.won("worker")).as("won by Java").isPositive();
		this.chaos.check();
	}

	@Test
	void theResultOfOneThatWasFrozenForTooLongIsDiscarded() {
		WorkerProcess python = python().awaitReady();
		long session = this.chaos.tables.session(python);
		long id = this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ofSeconds(1));
		awaitStart(python, id);
		python.freeze();
		WorkerProcess java = java().awaitReady();
		Awaitility.await("another one has it")
			.atMost(PATIENCE)
			.until(() -> java.won().stream().anyMatch((claim) -> claim.id() == id));
		python.thaw();
		Awaitility.await("it opens a new session")
			.atMost(PATIENCE)
			.until(() -> this.chaos.tables.session(python) != session && this.chaos.tables.session(python) != 0);
		java.terminate();
		this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ZERO);
		this.chaos.awaitDrained();
		assertThat(python.won()).as("the second one").hasSize(1);
		this.chaos.check();
	}

	@Test
	void jobsThatJavaWorkersHaveSortedOutAreFound() {
		java().awaitReady();
		long id = this.chaos.enqueue("python-only", Duration.ZERO);
		Awaitility.await("it is sorted out")
			.atMost(PATIENCE)
			.until(() -> this.chaos.tables.count("type_id <> 0 AND id = " + id) == 1);
		python();
		awaitEnd(id, JobState.SUCCEEDED);
	}

	@Test
	void oneThatSwallowsTheLossOfItsTransactionHasFailed() {
		python();
		long id = this.chaos.enqueue("deaf-ledger", Duration.ZERO);
		awaitEnd(id, JobState.SUCCEEDED);
		assertThat(this.chaos.sql.queryForList("SELECT attempt FROM ledger WHERE job_id = " + id, Integer.class))
			.containsExactly(2);
		assertThat(this.chaos.sql.queryForList("SELECT message FROM jobqueue_error WHERE job_id = " + id, String.class))
			.singleElement()
			.asString()
			.contains("1305");
	}

	@Test
	void oneWhoseConnectionIsLostHasNotFailed() {
		python();
		long id = this.chaos.enqueue("lost", Duration.ZERO);
		awaitEnd(id, JobState.SUCCEEDED);
		assertThat(this.chaos.queue.find(id).orElseThrow().attempt()).isOne();
		assertThat(this.chaos.queue.find(id).orElseThrow().lastError()).isPresent();
	}

	@Test
	@TakesLong
	void oneThatHangsLosesItsJobAndEnds() {
		java().awaitReady();
		WorkerProcess python = python().awaitReady();
		long id = this.chaos.enqueue("python-hanging", Duration.ZERO);
		Awaitility.await("it ends").atMost(PATIENCE).until(() -> !python.isAlive());
		assertThat(this.chaos.queue.find(id).orElseThrow().lastError()).isPresent();
		assertThat(this.chaos.sql.queryForObject("SELECT crashes FROM jobqueue_job WHERE id = " + id, Integer.class))
			.isZero();
	}

	@Test
	void oddRowsAndErrorsDoNoHarm() {
		this.chaos.startPython(this.chaos.worker().serving("python"));
		insert("effect", "python", Long.MAX_VALUE);
		insert("effect", "python", -5);
		insert("odd-error", "python", 0);
		insert("effect", "python ", 0);
		Awaitility.await("they end").atMost(PATIENCE).until(() -> this.chaos.tables.count("TRUE") == 0);
		assertThat(this.chaos.sql.queryForList("SELECT state FROM jobqueue_archive ORDER BY id", Integer.class))
			.containsExactly(3, 3, 4, 3);
		assertThat(this.chaos.sql.queryForList("SELECT message FROM jobqueue_error", String.class))
			.containsExactly("half a character: ?");
	}

	@Test
	void whoWantsToKnowOfADeadJobIsToldAndFindsIt() {
		python().awaitReady();
		this.chaos.sql.update("UPDATE jobqueue_type SET dead_handler = 1 WHERE name = 'odd-error'");
		long id = this.chaos.enqueue("odd-error", Duration.ZERO);
		awaitEnd(id, JobState.DEAD);
		Map<String, Object> call = this.chaos.sql.queryForMap("SELECT id, type, payload FROM jobqueue_job");
		assertThat(call).containsEntry("type", "jobqueue.dead.odd-error");
		assertThat(DeadJobReference.parse((String) call.get("payload")).isTo(this.chaos.queue.find(id).orElseThrow()))
			.isTrue();
		assertThat(this.chaos.sql.queryForObject("SELECT call_id FROM jobqueue_archive WHERE id = " + id, Long.class))
			.as("kept for that")
			.isEqualTo(call.get("id"));
	}

	private void insert(String type, String queue, long timeout) {
		this.chaos.sql.update("INSERT INTO jobqueue_job (type, queue, timeout_ms, payload) VALUES (?, ?, ?, 'sleep=0')",
				type, queue, timeout);
	}

	@Test
	void aJobThatKillsItsWorkerAgainAndAgainIsDead() {
		java().awaitReady();
		WorkerProcess python = python().awaitReady();
		long id = this.chaos.enqueue("poison", Duration.ZERO);
		for (int deaths = 0; deaths < 4; deaths++) {
			WorkerProcess victim = python;
			Awaitility.await("it dies").atMost(PATIENCE).until(() -> !victim.isAlive());
			python = python();
		}
		awaitEnd(id, JobState.DEAD);
		assertThat(python.isAlive()).isTrue();
	}

	@Test
	void oneThatIsAskedToStopFinishesItsJobAndEndsItsSession() {
		WorkerProcess python = python().awaitReady();
		long id = this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ofSeconds(1));
		awaitStart(python, id);
		long session = this.chaos.tables.session(python);
		assertThat(python.terminate()).isZero();
		awaitEnd(id, JobState.SUCCEEDED);
		assertThat(this.chaos.tables.hasEnded(session)).isTrue();
	}

	@Test
	void aLargePayloadAndAPausedQueue() {
		python().awaitReady();
		this.chaos.queue.pause("default");
		long id = this.chaos.queue.enqueue(NewJob.of(ChaosWorker.EFFECT, "token=large sleep=0 " + "x".repeat(100_000)));
		long other = this.chaos.queue.enqueue(NewJob.of(ChaosWorker.EFFECT, "token=other sleep=0").queue("other"));
		awaitEnd(other, JobState.SUCCEEDED);
		assertThat(this.chaos.queue.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
		this.chaos.queue.resume("default");
		awaitEnd(id, JobState.SUCCEEDED);
	}

	private WorkerProcess java() {
		return this.chaos.start(this.chaos.worker());
	}

	private WorkerProcess python() {
		return this.chaos.startPython(this.chaos.worker());
	}

	private void kill(WorkerProcess victim, boolean ofPython) {
		this.chaos.history.note("kill " + victim.name());
		victim.kill();
		long held = this.chaos.tables.heldBy(victim);
		this.killedWithJobs += (ofPython && held > 0) ? 1 : 0;
	}

	private static boolean before(long start, Duration duration) {
		return System.nanoTime() - start < duration.toNanos();
	}

	private static void awaitStart(WorkerProcess worker, long id) {
		Awaitility.await("it starts")
			.atMost(PATIENCE)
			.until(() -> worker.started().stream().anyMatch((claim) -> claim.id() == id));
	}

	private void awaitEnd(long id, JobState state) {
		Awaitility.await("it is " + state)
			.atMost(PATIENCE)
			.until(() -> this.chaos.queue.find(id).orElseThrow().state() == state);
	}

}
