package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.jobqueue.store.Agenda;

import org.jspecify.annotations.Nullable;

/**
 * The agenda of one node. Each part of its maintenance has a rhythm of its own, and what
 * one of them reads is for all: an idle node asks once, not once for each part.
 */
public final class SharedAgenda implements Supplier<Agenda> {

	private final Supplier<Agenda> source;

	private final LongSupplier nanoTime;

	private volatile @Nullable Reading latest;

	/**
	 * Creates an agenda that was not read yet.
	 * @param source reads it
	 * @param nanoTime the monotonic clock
	 */
	public SharedAgenda(Supplier<Agenda> source, LongSupplier nanoTime) {
		this.source = source;
		this.nanoTime = nanoTime;
	}

	/**
	 * Reads the agenda now.
	 */
	@Override
	public Agenda get() {
		return read().agenda();
	}

	private Reading read() {
		Agenda agenda = this.source.get();
		Reading reading = new Reading(agenda, this.nanoTime.getAsLong());
		this.latest = reading;
		return reading;
	}

	/**
	 * The readings as one part of the maintenance gets them.
	 * @param longest how old the last reading may be before this part reads again itself
	 * @return the news, for one thread
	 */
	public News news(Duration longest) {
		return new News(this, longest.toNanos());
	}

	/**
	 * What the latest reading says.
	 * @param what the question
	 * @param longest how old the last reading may be, before it is read again
	 * @return asks it
	 */
	public BooleanSupplier says(Predicate<Agenda> what, Duration longest) {
		return () -> what.test(notOlderThan(longest.toNanos()).agenda());
	}

	private Reading notOlderThan(long nanos) {
		Reading last = this.latest;
		return (last != null && this.nanoTime.getAsLong() - last.nanos() < nanos) ? last : read();
	}

	/**
	 * Each reading once.
	 */
	public static final class News {

		private final SharedAgenda agenda;

		private final long longestNanos;

		private @Nullable Reading seen;

		private News(SharedAgenda agenda, long longestNanos) {
			this.agenda = agenda;
			this.longestNanos = longestNanos;
		}

		/**
		 * The latest reading.
		 * @return empty if this was asked for before
		 */
		Optional<Reading> next() {
			Reading reading = this.agenda.notOlderThan(this.longestNanos);
			if (reading == this.seen) {
				return Optional.empty();
			}
			this.seen = reading;
			return Optional.of(reading);
		}

	}

	/**
	 * What was read.
	 *
	 * @param agenda the agenda
	 * @param nanos when, by the monotonic clock
	 */
	record Reading(Agenda agenda, long nanos) {

	}

}
