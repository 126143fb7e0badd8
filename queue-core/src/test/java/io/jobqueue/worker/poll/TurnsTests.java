package io.jobqueue.worker.poll;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * How often each queue comes first.
 */
class TurnsTests {

	private static ReadyRange range(String queue) {
		return new ReadyRange(queue, 4, 0, Degree.NONE, false, Duration.ofSeconds(-1));
	}

	private static ClaimedJob job(ReadyRange range) {
		return new ClaimedJob(new Claim(1, 1, 1), "any", range, 1, 0, Duration.ZERO, Suspicion.NONE, Instant.EPOCH,
				Duration.ZERO, new ClaimedJob.Payload(null, false));
	}

	/** Each turn takes the same number of jobs of the queue that comes first. */
	private static Map<String, Integer> take(Turns turns, int times, int jobs, String... queues) {
		Map<String, Integer> taken = new HashMap<>();
		List<ReadyRange> due = Stream.of(queues).map(TurnsTests::range).toList();
		for (int i = 0; i < times; i++) {
			turns.due(due);
			ReadyRange first = turns.inTurn(due).get(0);
			for (int j = 0; j < jobs; j++) {
				turns.note(job(first));
			}
			taken.merge(first.queue(), jobs, Integer::sum);
		}
		return taken;
	}

	@Test
	void withoutWeightsQueuesComeOneAfterAnother() {
		assertThat(take(new Turns(Map.of()), 300, 8, "a", "b", "c")).isEqualTo(Map.of("a", 800, "b", 800, "c", 800));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8, 100 })
	void aQueueGetsAsManyTimesTheUsualShareAsItsWeightSays(int jobs) {
		Map<String, Integer> taken = take(new Turns(Map.of("b", 3, "c", 6)), 1000, jobs, "a", "b", "c");
		assertThat(taken.get("a") / (1000.0 * jobs)).isCloseTo(0.1, within(0.01));
		assertThat(taken.get("b") / (1000.0 * jobs)).isCloseTo(0.3, within(0.01));
		assertThat(taken.get("c") / (1000.0 * jobs)).isCloseTo(0.6, within(0.01));
	}

	@Test
	void aQueueThatHadNoJobsForSomeTimeDoesNotTakeEverythingAfterwards() {
		Turns turns = new Turns(Map.of("a", 2));
		take(turns, 1000, 1, "a");
		Map<String, Integer> taken = take(turns, 300, 1, "a", "b");
		assertThat(taken.get("a")).isCloseTo(200, within(3));
	}

	/** Its jobs are of types that other nodes run, or run already in row-lock queues. */
	@Test
	void aQueueWithoutJobsForThisWorkerLetsNoOtherTakeEverything() {
		Turns turns = new Turns(Map.of("a", 2));
		List<ReadyRange> due = List.of(range("a"), range("x"));
		for (int i = 0; i < 1000; i++) {
			turns.due(due);
			turns.inTurn(due);
			turns.note(job(range("a")));
			turns.noteNone(4, Set.of("x"), Set.of("a"));
		}
		Map<String, Integer> taken = take(turns, 300, 1, "a", "b", "x");
		assertThat(taken.get("b")).isLessThan(90);
	}

	/** As where a suspect of a queue is looked at before all others. */
	@Test
	void aLookAtSomeOfTheRangesChangesNoTurn() {
		Turns turns = new Turns(Map.of("a", 4));
		List<ReadyRange> due = List.of(range("a"), range("b"));
		Map<String, Integer> taken = new HashMap<>();
		for (int i = 0; i < 500; i++) {
			turns.due(due);
			turns.inTurn(List.of(range("b")));
			ReadyRange first = turns.inTurn(due).get(0);
			turns.note(job(first));
			taken.merge(first.queue(), 1, Integer::sum);
		}
		assertThat(taken.get("a")).isCloseTo(400, within(5));
	}

}
