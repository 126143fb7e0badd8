package io.jobqueue.store;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class HistogramTests {

	private static Histogram of(Duration... durations) {
		long[] counts = new long[Histogram.RANGES];
		Arrays.stream(durations).forEach((duration) -> counts[Histogram.rangeOf(duration.toNanos())]++);
		return Histogram.of(counts);
	}

	@Test
	void anEndBelongsToItsRange() {
		assertThat(Histogram.rangeOf(Duration.ofMillis(3).toNanos())).isZero();
		assertThat(Histogram.rangeOf(Duration.ofMillis(3).toNanos() + 1)).isEqualTo(1);
		assertThat(Histogram.rangeOf(Duration.ofHours(1).toNanos() + 1)).isEqualTo(Histogram.RANGES - 1);
		assertThat(Histogram.rangeOf(-1)).isZero();
		assertThat(Histogram.rangeOf(Long.MAX_VALUE)).isEqualTo(Histogram.RANGES - 1);
	}

	@Test
	void aQuantileIsInTheRangeOfTheExactOne() {
		Histogram histogram = of(Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(200),
				Duration.ofMinutes(4));
		assertThat(histogram.quantile(0.5)).isEqualTo(Duration.ofMillis(3));
		assertThat(histogram.quantile(0.75)).isBetween(Duration.ofMillis(100), Duration.ofMillis(300));
		assertThat(histogram.quantile(0.95)).isBetween(Duration.ofSeconds(100), Duration.ofSeconds(300));
		assertThat(histogram.total()).isEqualTo(4);
	}

	@Test
	void theLastRangeHasNoEnd() {
		assertThat(of(Duration.ofDays(2)).quantile(0.95)).isEqualTo(Duration.ofHours(1));
	}

	@Test
	void ofNothingThereIsNoQuantile() {
		assertThat(Histogram.EMPTY.quantile(0.5)).isNull();
	}

	@Test
	void aHistogramHasItsRanges() {
		assertThatIllegalArgumentException().isThrownBy(() -> Histogram.of(LongStream.range(0, 3).toArray()));
	}

}
