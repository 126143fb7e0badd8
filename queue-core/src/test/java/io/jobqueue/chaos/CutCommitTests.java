package io.jobqueue.chaos;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.chaos.History.Answer;
import io.jobqueue.test.CommitFault.Kind;
import io.jobqueue.test.CommitFault.Moment;
import io.jobqueue.test.CommitFault;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Commits are cut before they reach the server, or their answers are, or they arrive long
 * after everybody has given them up.
 */
class CutCommitTests extends WayTests {

	private static final int COMMITS = FULL ? 4 : 2;

	/**
	 * The job of an enqueue with a unique key is there once, whatever its caller was
	 * told; one without a key may be there if its caller was told that nobody knows.
	 */
	@Test
	@BesideOthers
	void ofAnApplicationThatEnqueues() {
		Wire wire = this.chaos.wire();
		HikariDataSource pool = this.chaos.pool(wire);
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(pool, Duration.ofMillis(10));
		disturb(wire, Moment.ENQUEUE);
		producer.stop();
		awaitLateCommits(wire);
		this.chaos.awaitDrained();
		assertThat(this.chaos.history.answers().getOrDefault(Answer.UNKNOWN, 0L)).as("unknown").isPositive();
		this.chaos.check();
	}

	@Test
	@BesideOthers
	void ofAWorkerThatClaims() {
		disturbWorker(Moment.CLAIM);
	}

	/** Of a row-lock queue: what is claimed there are jobs that have failed. */
	@Test
	@BesideOthers
	void ofAWorkerThatBegins() {
		assumeTrue(this.way == Way.ROW_LOCK, "nothing is begun");
		disturbWorker(Moment.BEGIN);
	}

	@Test
	@BesideOthers
	void ofAWorkerThatAcks() {
		disturbWorker(Moment.ACK);
	}

	@Test
	@BesideOthers
	void ofATransactionalHandler() {
		disturbWorker(Moment.TRANSACTIONAL);
	}

	private void disturbWorker(Moment moment) {
		Wire wire = this.chaos.wire();
		// A transactional handler whose commit is cut has failed, maybe several times.
		this.chaos.start(this.chaos.worker().withUrl(wire.jdbcUrl()).withRetry(20, Duration.ofMillis(200)))
			.awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(Duration.ofMillis(10));
		disturb(wire, moment);
		producer.stop();
		awaitLateCommits(wire);
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	private Duration late() {
		return choose(Duration.ofSeconds(60), Duration.ofSeconds(8), Duration.ofSeconds(5));
	}

	private void disturb(Wire wire, Moment moment) {
		int rounds = FULL ? 2 : 1;
		for (int round = 0; round < rounds; round++) {
			for (Kind kind : new Kind[] { Kind.CUT_BEFORE, Kind.CUT_AFTER, Kind.LATE }) {
				this.chaos.history.note(kind + " of " + moment);
				wire.disturb(CommitFault.of(kind, moment, COMMITS).late(late()));
				Awaitility.await(kind + " of " + moment)
					.atMost(late().plusSeconds(30))
					.until(() -> wire.disturbed() == COMMITS);
			}
		}
	}

	private void awaitLateCommits(Wire wire) {
		Awaitility.await("late commits were answered").atMost(late().plusSeconds(30)).until(() -> wire.late() == 0);
	}

}
