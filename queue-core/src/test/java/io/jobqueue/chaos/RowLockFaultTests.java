package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of the row that a worker keeps locked, when the worker is killed or stands
 * still outside of the database.
 */
class RowLockFaultTests extends ChaosTests {

	private static final Duration LONG_SESSION = Duration.ofSeconds(30);

	@Override
	Way way() {
		return Way.ROW_LOCK;
	}

	private WorkerProcess startedOn(long id, WorkerArguments arguments) {
		WorkerProcess worker = this.chaos.start(arguments).awaitReady();
		Awaitility.await(worker.name() + " runs the job")
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> worker.started().stream().anyMatch((claim) -> claim.id() == id));
		return worker;
	}

	/**
	 * The server sees at once that the process is gone. Nobody waits for its session.
	 */
	@Test
	@BesideOthers
	void aJobRunsAgainLongBeforeTheSessionOfItsKilledWorkerExpires() {
		long id = this.chaos.enqueue(ChaosWorker.LEDGER, Duration.ofSeconds(8));
		WorkerProcess first = startedOn(id, this.chaos.worker().withSessionTimeout(LONG_SESSION));
		WorkerProcess second = this.chaos.start(this.chaos.worker()).awaitReady();
		long session = this.chaos.tables.session(first);
		long killed = System.nanoTime();
		first.kill();
		Awaitility.await("the other worker runs the job")
			.atMost(LONG_SESSION.dividedBy(2))
			.pollInterval(Duration.ofMillis(2))
			.until(() -> !second.started().isEmpty());
		System.out.printf("CHAOS the job of a killed worker ran again after %d ms%n",
				Duration.ofNanos(System.nanoTime() - killed).toMillis());
		assertThat(this.chaos.tables.hasEnded(session)).isFalse();
		assertThat(suspicion(id)).as("crashes and outages").containsExactly(0, 1);
		this.chaos.sql.update("UPDATE jobqueue_session SET expires_at = '2020-01-01' WHERE id = ?", session);
		Awaitility.await("its session has proved dead")
			.atMost(Duration.ofSeconds(7))
			.until(() -> suspicion(id).equals(List.of(1, 0)));
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(this.chaos.sql.queryForList("SELECT job_id FROM jobqueue_start")).isEmpty();
	}

	private List<Integer> suspicion(long id) {
		return this.chaos.sql.queryForObject("SELECT crashes, outages FROM jobqueue_job WHERE id = ?",
				(row, number) -> List.of(row.getInt(1), row.getInt(2)), id);
	}

	/**
	 * A stopped process keeps its connection, and so the row. Once its session has ended
	 * its connection is closed.
	 */
	@Test
	@BesideOthers
	void theRowOfAStoppedWorkerIsFreeOnceItsSessionHasEnded() {
		long id = this.chaos.enqueue(ChaosWorker.LEDGER, Duration.ofSeconds(4));
		WorkerProcess first = startedOn(id, this.chaos.worker());
		long connection = this.chaos.sql.queryForObject("SELECT connection_id FROM jobqueue_start WHERE job_id = ?",
				Long.class, id);
		// Before the other one is there, which may take longer than the job.
		first.freeze();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Awaitility.await("the job has run elsewhere")
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.chaos.tables.count("TRUE") == 0);
		assertThat(
				this.chaos.sql.queryForList("SELECT id FROM information_schema.processlist WHERE id = ?", connection))
			.isEmpty();
		first.thaw();
		this.chaos.check();
	}

}
