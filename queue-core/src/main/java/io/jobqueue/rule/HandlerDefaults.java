package io.jobqueue.rule;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.text.Durations;
import io.jobqueue.worker.Handler;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The defaults for what the annotation of a handler leaves unset. Builds the handler of
 * both.
 *
 * @param maxAttempts how many attempts a job has
 * @param backoff how long it waits in between
 * @param timeout how long an attempt may run
 * @param limits the names of the limits that there are
 */
public record HandlerDefaults(int maxAttempts, BackoffPolicy backoff, Duration timeout, Set<String> limits) {

	/** Small enough that no value of an annotation is refused because of a default. */
	private static final BackoffPolicy SHORTEST = new BackoffPolicy(Duration.ZERO, 1, Duration.ZERO, 0);

	/**
	 * Checks what an annotation says, as far as no property decides about it.
	 * @param settings what it says
	 * @throws IllegalArgumentException if a value is not valid
	 */
	public static void check(HandlerSettings settings) {
		new HandlerDefaults(1, SHORTEST, Duration.ZERO, Set.of(settings.limit())).handler("any", settings, List.of(),
				new Nothing());
	}

	/**
	 * Builds a handler.
	 * @param type the type of the jobs that it runs
	 * @param settings what its annotation says
	 * @param noRetryFor exceptions after which a job is dead at once
	 * @param invocation the code
	 * @throws IllegalArgumentException if a value is not valid
	 */
	public Handler handler(String type, HandlerSettings settings, List<Class<? extends Throwable>> noRetryFor,
			Handler.Invocation invocation) {
		if (settings.maxAttempts() < 0) {
			throw new IllegalArgumentException("maxAttempts must not be negative, but is " + settings.maxAttempts());
		}
		String limit = settings.limit();
		if (!limit.isEmpty() && !this.limits.contains(limit)) {
			throw new IllegalArgumentException(
					"its limit '" + limit + "' is not there: set jobqueue.limits." + limit + ".running or .starts; "
							+ (this.limits.isEmpty() ? "no limit is set" : "there are " + new TreeSet<>(this.limits)));
		}
		int attempts = (settings.maxAttempts() > 0) ? settings.maxAttempts() : this.maxAttempts;
		RetryPolicy retry = new RetryPolicy(attempts, backoff(settings.backoff()), noRetryFor);
		return new Handler(type, invocation, retry, duration("timeout", settings.timeout(), this.timeout),
				settings.transactional(), settings.onDead(), limit,
				new Handler.Chunks(settings.batchSize(), duration("batchWait", settings.batchWait(), Duration.ZERO)));
	}

	private BackoffPolicy backoff(HandlerSettings.Delays own) {
		Duration delay = duration("backoff delay", own.first(), this.backoff.delay());
		Duration maxDelay = duration("backoff maxDelay", own.longest(), this.backoff.maxDelay());
		if (StringUtils.hasText(own.first()) && delay.compareTo(maxDelay) > 0) {
			if (StringUtils.hasText(own.longest())) {
				throw new IllegalArgumentException("backoff delay must be at most maxDelay, but is "
						+ Durations.text(delay) + ", and that is " + Durations.text(maxDelay));
			}
			// Who asks for a longer delay than usual is to have it.
			maxDelay = delay;
		}
		return new BackoffPolicy(delay, (own.multiplier() < 0) ? this.backoff.multiplier() : own.multiplier(), maxDelay,
				(own.jitter() < 0) ? this.backoff.jitter() : own.jitter());
	}

	private static Duration duration(String attribute, String text, Duration otherwise) {
		return StringUtils.hasText(text) ? Durations.parse(attribute, text) : otherwise;
	}

	/**
	 * Stands for the code where only its settings are checked.
	 */
	private static final class Nothing implements Handler.ChunkInvocation {

		@Override
		public Object read(@Nullable String payload) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void invoke(List<Handler.ChunkItem> items) {
			throw new UnsupportedOperationException();
		}

	}

}
