package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

import io.jobqueue.store.ScheduleStore;

import org.jspecify.annotations.Nullable;

/**
 * When the next tick is due, as this node knows. For one thread.
 */
final class NextTick {

	/** How soon to look again at what was due and was left. */
	private static final Duration AGAIN = Duration.ofMillis(100);

	/** The agenda tells of it before. */
	private static final Duration LONGEST = Duration.ofMinutes(1);

	private final LongSupplier nanoTime;

	private long next;

	private long lookedAt;

	/**
	 * Knows of nothing else than that it may be due now.
	 */
	NextTick(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.next = nanoTime.getAsLong();
		this.lookedAt = this.next;
	}

	boolean isDue() {
		return this.nanoTime.getAsLong() - this.next >= 0;
	}

	/**
	 * Notes that this node looks itself now. If that fails, a tick may still be due.
	 */
	void look() {
		this.lookedAt = this.nanoTime.getAsLong();
		this.next = this.lookedAt;
	}

	/**
	 * Notes what this node has seen. What is due and was left is what another node has
	 * locked, or what has just failed.
	 */
	void note(ScheduleStore.Due due) {
		Instant tick = due.next();
		Duration wait = (tick != null) ? Duration.between(due.now(), tick) : LONGEST;
		this.next = this.lookedAt + (wait.isNegative() ? AGAIN.toNanos() : atMost(wait));
	}

	/**
	 * Notes what the agenda says. What was read before this node looked itself puts off
	 * no tick that it has seen then.
	 */
	void note(SharedAgenda.Reading reading) {
		long told = reading.begun() + atMost(reading.agenda().untilTick());
		if (reading.begun() - this.lookedAt > 0 || told - this.next < 0) {
			this.next = told;
		}
	}

	private static long atMost(@Nullable Duration wait) {
		return (wait != null && wait.compareTo(LONGEST) < 0) ? wait.toNanos() : LONGEST.toNanos();
	}

}
