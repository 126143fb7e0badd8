package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;

import io.jobqueue.test.CommitFault.Kind;
import io.jobqueue.test.CommitFault.Moment;
import io.jobqueue.test.CommitFault;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A worker stands still for longer than its session lives, as in a long collection of
 * garbage or on a machine that is moved, and then goes on as if nothing had been.
 */
class FrozenWorkerTests extends WayTests {

	@Test
	void frozenForLongerThanItsSession() throws InterruptedException {
		WorkerProcess frozen = this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(PACE);
		int rounds = choose(8, 2, 1);
		for (int round = 0; round < rounds; round++) {
			long session = freezeWhileItHoldsJobs(frozen);
			long timeout = WorkerArguments.SESSION_TIMEOUT.toMillis();
			Thread.sleep(timeout * 3 / 2 + this.chaos.random.nextInt((int) timeout * 3 / 2));
			awaitEnded(session);
			this.chaos.history.note("thaw " + frozen.name());
			frozen.thaw();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.awaitFullLimits();
		this.chaos.check();
	}

	/**
	 * The worker has sent everything but the COMMIT of a result when it stands still, and
	 * sends that when it goes on.
	 */
	@Test
	@TakesLong
	void frozenJustBeforeItsCommit() throws InterruptedException {
		Wire wire = this.chaos.wire();
		WorkerProcess frozen = this.chaos.start(this.chaos.worker().withUrl(wire.jdbcUrl())).awaitReady();
		Producer producer = this.chaos.producer(PACE);
		awaitRunning(frozen);
		for (Moment moment : List.of(Moment.ACK, Moment.TRANSACTIONAL)) {
			wire.disturb(CommitFault.of(Kind.HELD, moment, 1));
			Awaitility.await("a commit is held").atMost(Duration.ofSeconds(30)).until(() -> wire.disturbed() == 1);
			this.chaos.history.note("freeze " + frozen.name() + " at a commit");
			frozen.freeze();
			long session = this.chaos.tables.session(frozen);
			WorkerProcess other = this.chaos.start(this.chaos.worker()).awaitReady();
			awaitEnded(session);
			Thread.sleep(WorkerArguments.SESSION_TIMEOUT.toMillis());
			frozen.thaw();
			wire.letCommitsPass();
			assertThat(other.isAlive()).isTrue();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.awaitFullLimits();
		this.chaos.check();
	}

	private long freezeWhileItHoldsJobs(WorkerProcess worker) {
		while (true) {
			awaitRunning(worker);
			this.chaos.history.note("freeze " + worker.name());
			worker.freeze();
			if (this.chaos.tables.heldBy(worker) > 0) {
				return this.chaos.tables.session(worker);
			}
			worker.thaw();
		}
	}

	private void awaitEnded(long session) {
		assertThat(session).isPositive();
		Awaitility.await("another worker ends the session")
			.atMost(WorkerArguments.SESSION_TIMEOUT.multipliedBy(2).plusSeconds(5))
			.until(() -> this.chaos.tables.hasEnded(session));
	}

	private void awaitRunning(WorkerProcess worker) {
		Awaitility.await(worker.name() + " runs jobs")
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> this.chaos.tables.heldBy(worker) > 0);
	}

}
