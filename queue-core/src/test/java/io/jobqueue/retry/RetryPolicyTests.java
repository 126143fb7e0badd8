package io.jobqueue.retry;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import io.jobqueue.PermanentJobException;
import io.jobqueue.RetryLaterException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RetryPolicyTests {

	private static final RandomGenerator MIDDLE = fixed(0.5);

	private static final RandomGenerator LEAST = fixed(0);

	private static final RandomGenerator MOST = fixed(Math.nextDown(1.0));

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static RandomGenerator fixed(double value) {
		return new RandomGenerator() {

			@Override
			public long nextLong() {
				throw new UnsupportedOperationException();
			}

			@Override
			public double nextDouble() {
				return value;
			}

		};
	}

	@Test
	void theDefaultStartsAtASecondAndDoublesUpToAnHour() {
		assertThat(IntStream.rangeClosed(1, 14)
			.mapToObj((attempt) -> BackoffPolicy.DEFAULT.delayAfter(attempt, MIDDLE).toSeconds()))
			.containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 512L, 1024L, 2048L, 3600L, 3600L);
		assertThat(BackoffPolicy.DEFAULT.delayAfter(Integer.MAX_VALUE, MIDDLE)).isEqualTo(Duration.ofHours(1));
	}

	@Test
	void aMultiplierOfOneMakesTheDelayFixed() {
		BackoffPolicy fixed = new BackoffPolicy(Duration.ofMillis(500), 1, Duration.ofHours(1), 0);
		assertThat(IntStream.of(1, 2, 100).mapToObj((attempt) -> fixed.delayAfter(attempt, MOST)))
			.containsOnly(Duration.ofMillis(500));
	}

	@Test
	void theLongestDelayMayBeShorterThanTheFirst() {
		assertThat(new BackoffPolicy(Duration.ofMinutes(1), 2, SECOND, 0).delayAfter(1, MIDDLE)).isEqualTo(SECOND);
	}

	@Test
	void noDelayStaysNone() {
		assertThat(new BackoffPolicy(Duration.ZERO, 2, Duration.ofHours(1), 1).delayAfter(5, MOST)).isZero();
	}

	@Test
	void jitterIsAShareOfTheDelayMoreOrLess() {
		assertThat(BackoffPolicy.DEFAULT.delayAfter(1, LEAST)).isEqualTo(Duration.ofMillis(800));
		assertThat(BackoffPolicy.DEFAULT.delayAfter(1, MOST)).isEqualTo(Duration.ofMillis(1_200));
		assertThat(BackoffPolicy.DEFAULT.delayAfter(20, LEAST)).isEqualTo(Duration.ofMinutes(48));
		assertThat(BackoffPolicy.DEFAULT.delayAfter(20, MOST)).isEqualTo(Duration.ofMinutes(72));
	}

	@Test
	void jitterSpreadsAndStaysWithinItsBounds() {
		Random random = new Random(42);
		List<Duration> delays = IntStream.range(0, 10_000)
			.mapToObj((i) -> BackoffPolicy.DEFAULT.delayAfter(3, random))
			.toList();
		assertThat(delays).allMatch((delay) -> delay.compareTo(Duration.ofMillis(3_200)) >= 0
				&& delay.compareTo(Duration.ofMillis(4_800)) <= 0);
		assertThat(delays.stream().distinct().count()).isGreaterThan(1_000);
	}

	@Test
	void aBackoffThatMakesNoSenseIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new BackoffPolicy(Duration.ofSeconds(-1), 2, Duration.ofHours(1), 0.2))
			.withMessageContaining("backoff delays must not be negative: PT-1S, PT1H");
		assertThatIllegalArgumentException().isThrownBy(() -> new BackoffPolicy(SECOND, 2, Duration.ofHours(-1), 0.2))
			.withMessageContaining("backoff delays must not be negative: PT1S, PT-1H");
		for (double multiplier : new double[] { 0.9, 0, -1, Double.NaN }) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> new BackoffPolicy(SECOND, multiplier, Duration.ofHours(1), 0.2))
				.withMessageContaining("backoff multiplier must be at least 1, but is " + multiplier);
		}
		for (double jitter : new double[] { -0.1, 1.1, Double.NaN }) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> new BackoffPolicy(SECOND, 2, Duration.ofHours(1), jitter))
				.withMessageContaining("backoff jitter must be from 0 to 1, but is " + jitter);
		}
	}

	@Test
	void aFailureIsRetriedAsLongAsThereAreAttempts() {
		RetryPolicy policy = RetryPolicy.DEFAULT;
		Exception failure = new IllegalStateException();
		assertThat(policy.decide(failure, 1, 3, MIDDLE)).isEqualTo(new Decision.RetryAfter(SECOND));
		assertThat(policy.decide(failure, 2, 3, MIDDLE)).isEqualTo(new Decision.RetryAfter(Duration.ofSeconds(2)));
		assertThat(policy.decide(failure, 3, 3, MIDDLE)).isEqualTo(new Decision.GiveUp());
		assertThat(policy.decide(failure, 4, 3, MIDDLE)).isEqualTo(new Decision.GiveUp());
		assertThat(policy.decide(failure, 1, 1, MIDDLE)).isEqualTo(new Decision.GiveUp());
	}

	@Test
	void aJobsOwnLimitReplacesThePolicys() {
		assertThat(RetryPolicy.DEFAULT.attemptsOf(0)).isEqualTo(10);
		assertThat(RetryPolicy.DEFAULT.attemptsOf(1)).isEqualTo(1);
		assertThat(RetryPolicy.DEFAULT.attemptsOf(50)).isEqualTo(50);
	}

	@Test
	void aPermanentFailureIsNotRetried() {
		assertThat(RetryPolicy.DEFAULT.decide(new PermanentJobException("no such order"), 1, 10, MIDDLE))
			.isEqualTo(new Decision.GiveUp());
		PermanentJobException ofMyOwn = new PermanentJobException("no", new IOException()) {
		};
		assertThat(RetryPolicy.DEFAULT.decide(ofMyOwn, 1, 10, MIDDLE)).isEqualTo(new Decision.GiveUp());
	}

	@Test
	void listedExceptionsAndTheirSubclassesAreNotRetriedButTheirCausesAre() {
		RetryPolicy policy = new RetryPolicy(10, BackoffPolicy.DEFAULT,
				List.of(IOException.class, OutOfMemoryError.class));
		assertThat(policy.decide(new IOException(), 1, 10, MIDDLE)).isEqualTo(new Decision.GiveUp());
		assertThat(policy.decide(new FileNotFoundException(), 1, 10, MIDDLE)).isEqualTo(new Decision.GiveUp());
		assertThat(policy.decide(new OutOfMemoryError(), 1, 10, MIDDLE)).isEqualTo(new Decision.GiveUp());
		assertThat(policy.decide(new IllegalStateException(new IOException()), 1, 10, MIDDLE))
			.isEqualTo(new Decision.RetryAfter(SECOND));
	}

	@Test
	void aHandlerMayChooseTheDelayButNotTheNumberOfAttempts() {
		Exception later = new RetryLaterException(Duration.ofMinutes(7));
		assertThat(RetryPolicy.DEFAULT.decide(later, 1, 10, MOST))
			.isEqualTo(new Decision.RetryAfter(Duration.ofMinutes(7)));
		assertThat(RetryPolicy.DEFAULT.decide(later, 10, 10, MOST)).isEqualTo(new Decision.GiveUp());
		assertThat(RetryPolicy.DEFAULT.decide(new RetryLaterException(Duration.ZERO), 1, 10, MOST))
			.isEqualTo(new Decision.RetryAfter(Duration.ZERO));
	}

	@Test
	void aNegativeDelayIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new RetryLaterException(Duration.ofSeconds(-1)))
			.withMessageContaining("delay must not be negative, but is PT-1S");
	}

	@Test
	void aPolicyWithoutAttemptsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new RetryPolicy(0, BackoffPolicy.DEFAULT, List.of()))
			.withMessageContaining("maxAttempts must be at least 1, but is 0");
	}

}
