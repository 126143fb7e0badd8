package io.jobqueue.benchmark;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RatioTests {

	@Test
	void theMedianOfThePairsWithItsRange() {
		Ratio ratio = Ratio.of(0.9, 1.2, 0.8);
		assertThat(ratio.line()).isEqualTo("0.90 pairs=3 range=0.80..1.20 interval95=NaN..NaN");
		assertThat(ratio.isWithin(1)).as("an interval that is not known").isFalse();
		assertThat(Ratio.of(1, 2).median()).isEqualTo(1.5);
	}

	/**
	 * By the tables of the sign test: of six pairs none may be left out, of nine one at
	 * either end, of thirty nine.
	 */
	@Test
	void theIntervalOfTheMedian() {
		assertThat(interval(5)).containsExactly(Double.NaN, Double.NaN);
		assertThat(interval(6)).containsExactly(1, 6);
		assertThat(interval(8)).containsExactly(1, 8);
		assertThat(interval(9)).containsExactly(2, 8);
		assertThat(interval(12)).containsExactly(3, 10);
		assertThat(interval(30)).containsExactly(10, 21);
	}

	private static double[] interval(int pairs) {
		Ratio ratio = Ratio.of(IntStream.rangeClosed(1, pairs).asDoubleStream().toArray());
		return new double[] { ratio.low(), ratio.high() };
	}

}
