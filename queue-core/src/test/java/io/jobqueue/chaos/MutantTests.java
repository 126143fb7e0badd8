package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The checker can fail: it notices workers that are broken on purpose, and no others.
 */
class MutantTests extends ChaosTests {

	private static final int JOBS = 4;

	private static final Duration LONG = Duration.ofSeconds(4);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** What the checker finds without any worker, CheckerTests show. */
	static List<Mutant> mutants() {
		return FULL ? List.of(Mutant.NONE, Mutant.ACK_WITHOUT_FENCE, Mutant.RESCUE_WITHOUT_SESSION_CHECK)
				: List.of(Mutant.ACK_WITHOUT_FENCE);
	}

	static List<Mutant> finishers() {
		return FULL ? List.of(Mutant.NONE, Mutant.FINISHER_ADMITS_TWICE) : List.of(Mutant.FINISHER_ADMITS_TWICE);
	}

	/**
	 * One worker is frozen in the middle of its jobs, and goes on when another is in the
	 * middle of the same.
	 */
	@ParameterizedTest
	@MethodSource("mutants")
	void goesOnInTheMiddleOfAnothersRun(Mutant mutant) {
		WorkerProcess first = this.chaos.start(this.chaos.worker().mutant(mutant)).awaitReady();
		for (int i = 0; i < JOBS / 2; i++) {
			this.chaos.enqueue(ChaosWorker.EFFECT, LONG);
			this.chaos.enqueue(ChaosWorker.LEDGER, LONG);
		}
		awaitStarted(first);
		first.freeze();
		WorkerProcess second = this.chaos.start(this.chaos.worker().mutant(mutant)).awaitReady();
		awaitStarted(second);
		first.thaw();
		checkNoticed(mutant);
	}

	@ParameterizedTest
	@MethodSource("finishers")
	void letsTheNextJobOfAKeyRun(Mutant mutant) {
		this.chaos.start(this.chaos.worker().mutant(mutant)).awaitReady();
		this.chaos.enqueueAll(JOBS, ChaosWorker.EFFECT, Duration.ofMillis(300), (job) -> job.orderKey("one"));
		checkNoticed(mutant);
	}

	private void checkNoticed(Mutant mutant) {
		this.chaos.awaitDrained();
		List<String> violations = this.chaos.violations();
		if (mutant == Mutant.NONE) {
			assertThat(violations).isEmpty();
		}
		else {
			assertThat(violations).anyMatch((violation) -> violation.contains(mutant.shownBy()));
		}
	}

	private void awaitStarted(WorkerProcess worker) {
		Awaitility.await(worker.name() + " runs the jobs")
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.until(() -> worker.started().size() >= JOBS);
	}

}
