package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.QueueShares;
import io.jobqueue.store.ReadyRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How one claim shares its room.
 */
class FairShareTests {

	private final List<String> asked = new ArrayList<>();

	private static ReadyRange range(String queue, int priority) {
		return new ReadyRange(queue, priority, 0, Degree.NONE, false, Duration.ZERO);
	}

	/** Every range has a thousand jobs. */
	private List<Candidate> lock(ReadyRange range, int limit) {
		this.asked.add(range.queue());
		return Stream.iterate(1L, (id) -> id + 1)
			.limit(Math.min(limit, 1000))
			.map((id) -> new Candidate(
					new ClaimedJob(new Claim(range.queue().hashCode() * 10_000L + range.priority() * 1000 + id, 1, 1),
							"any", range, 1, 0, Duration.ZERO, Suspicion.NONE, Instant.EPOCH, Duration.ZERO,
							new ClaimedJob.Payload(null, false)),
					0, false, false, null))
			.toList();
	}

	private Map<String, Long> take(int limit, QueueShares shares, ReadyRange... ranges) {
		return new FairShare(List.of(ranges), limit, shares).take(this::lock)
			.stream()
			.collect(Collectors.groupingBy((candidate) -> candidate.job().queue(), Collectors.counting()));
	}

	@Test
	void rangesOfOnePriorityGetEqualParts() {
		assertThat(take(100, QueueShares.EQUAL, range("a", 4), range("b", 4))).isEqualTo(Map.of("a", 50L, "b", 50L));
	}

	@Test
	void aWeightMakesAPartLarger() {
		assertThat(take(100, new QueueShares(Map.of("b", 4), Map.of()), range("a", 4), range("b", 4)))
			.isEqualTo(Map.of("a", 20L, "b", 80L));
	}

	@Test
	void aQueueGetsNoMoreThanItHasRoomForAndTheOthersGetTheRest() {
		assertThat(take(100, new QueueShares(Map.of(), Map.of("a", 7)), range("a", 4), range("b", 4)))
			.isEqualTo(Map.of("a", 7L, "b", 93L));
	}

	@Test
	void theRoomOfAQueueIsThatOfAllItsRanges() {
		assertThat(take(100, new QueueShares(Map.of(), Map.of("a", 7)), range("a", 9), range("a", 4), range("b", 4)))
			.isEqualTo(Map.of("a", 7L, "b", 93L));
		assertThat(this.asked).filteredOn("a"::equals).hasSize(1);
	}

}
