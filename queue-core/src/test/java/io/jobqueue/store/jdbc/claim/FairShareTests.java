package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
					new ClaimedJob(
							new Claim(range.queue().hashCode() * 10_000L + range.priority() * 1000
									+ range.typeId() * 1_000_000_000_000L + id, 1, 1),
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

	private static ReadyRange rangeOfType(String queue, int type) {
		return new ReadyRange(queue, 4, type, Degree.NONE, false, Duration.ZERO);
	}

	@Test
	void theRangesOfAQueueShareItsPart() {
		assertThat(take(100, new QueueShares(Map.of("a", 3), Map.of()), range("a", 4), rangeOfType("b", 1),
				rangeOfType("b", 2), rangeOfType("b", 3), rangeOfType("b", 4)))
			.satisfies((taken) -> assertThat(taken.get("a")).isBetween(70L, 75L));
	}

	@Test
	void aWeightHoldsForAFewSlotsToo() {
		assertThat(take(8, new QueueShares(Map.of("b", 10), Map.of()), range("a", 4), range("b", 4)))
			.isEqualTo(Map.of("a", 1L, "b", 7L));
		this.asked.clear();
		assertThat(take(8, QueueShares.EQUAL, range("a", 4), range("b", 4))).isEqualTo(Map.of("a", 8L));
	}

	@Test
	void aHigherPriorityComesFirstWhateverTheWeights() {
		assertThat(take(10, new QueueShares(Map.of("b", 10), Map.of()), range("a", 9), range("b", 4)))
			.isEqualTo(Map.of("a", 10L));
	}

	@Test
	void whatCannotRunTakesNoRoomOfItsQueue() {
		ReadyRange range = range("a", 4);
		List<Candidate> taken = new FairShare(List.of(range), 100, new QueueShares(Map.of(), Map.of("a", 2)))
			.take((asked, limit) -> lock(range, Math.min(limit, 6)).stream()
				.map((job) -> (job.id() % 10 <= 3) ? job.withFlaw("flawed") : job)
				.toList());
		assertThat(taken).hasSize(5).filteredOn(Candidate::canRun).hasSize(2);
	}

	@Test
	void manyThatCannotRunAreNotLookedAtOneByOne() {
		ReadyRange range = range("a", 4);
		assertThat(new FairShare(List.of(range), 1000, new QueueShares(Map.of(), Map.of("a", 1)))
			.take((asked, limit) -> lock(range, limit).stream().map((job) -> job.withFlaw("flawed")).toList()))
			.hasSize(9);
		assertThat(this.asked).hasSizeLessThan(10);
	}

	/** As where each look passes over others, to find what nobody else takes. */
	@Test
	void aSecondLookThatBringsOtherJobsDoesNotExceedTheRoomOfAQueue() {
		AtomicInteger looks = new AtomicInteger();
		List<Candidate> taken = new FairShare(
				IntStream.range(0, 10).mapToObj((number) -> range((number == 0) ? "a" : "other" + number, 4)).toList(),
				100, new QueueShares(Map.of(), Map.of("a", 15)))
			.take((range, limit) -> range.queue().equals("a")
					? lock(range(range.queue(), looks.getAndIncrement()), limit) : List.of());
		assertThat(taken).hasSize(15);
	}

}
