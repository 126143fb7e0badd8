package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.jobqueue.store.Agenda;
import io.jobqueue.store.SqlFailure;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agenda of one node. Each part of its maintenance has a rhythm of its own, and what
 * one of them reads is for all: an idle node asks once, not once for each part.
 */
public final class SharedAgenda implements Supplier<Agenda> {

	private static final Logger log = LoggerFactory.getLogger(SharedAgenda.class);

	private final Supplier<Agenda> source;

	private final LongSupplier nanoTime;

	private final ReentrantLock readLock = new ReentrantLock();

	private volatile @Nullable Reading latest;

	private volatile boolean failing;

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
	 * @return the agenda; {@link Agenda#UNKNOWN} if it cannot be read, though the
	 * database is there
	 */
	@Override
	public Agenda get() {
		return read().agenda();
	}

	private Reading read() {
		long start = this.nanoTime.getAsLong();
		Reading read = new Reading(readOrUnknown(), start, this.nanoTime.getAsLong());
		this.latest = read;
		return read;
	}

	/**
	 * What keeps this read from its answer need not keep others from theirs.
	 */
	private Agenda readOrUnknown() {
		try {
			Agenda agenda = this.source.get();
			this.failing = false;
			return agenda;
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex)) {
				throw ex;
			}
			if (!this.failing) {
				this.failing = true;
				log.warn("What there is to do for maintenance cannot be read, so each part looks itself: {}",
						ex.toString());
			}
			log.debug("The agenda cannot be read", ex);
			return Agenda.UNKNOWN;
		}
	}

	/**
	 * The readings as one part of the maintenance gets them.
	 * @param shortest readings that follow sooner are left out
	 * @param longest how old the last reading may be before this part reads again itself
	 * @return the news, for one thread
	 */
	public News news(Duration shortest, Duration longest) {
		return new News(this, shortest.toNanos(), longest.toNanos());
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
		if (last != null && isNew(last, nanos)) {
			return last;
		}
		this.readLock.lock();
		try {
			// Somebody else may have read it meanwhile.
			Reading next = this.latest;
			return (next != null && isNew(next, nanos)) ? next : read();
		}
		finally {
			this.readLock.unlock();
		}
	}

	private boolean isNew(Reading reading, long nanos) {
		return this.nanoTime.getAsLong() - reading.ended() < nanos;
	}

	/**
	 * Each reading once.
	 */
	public static final class News {

		private final SharedAgenda agenda;

		private final long shortestNanos;

		private final long longestNanos;

		private @Nullable Reading seen;

		private News(SharedAgenda agenda, long shortestNanos, long longestNanos) {
			this.agenda = agenda;
			this.shortestNanos = shortestNanos;
			this.longestNanos = longestNanos;
		}

		/**
		 * The latest reading.
		 * @return empty if this was asked for before
		 */
		Optional<Reading> next() {
			Reading reading = this.agenda.notOlderThan(this.longestNanos);
			Reading before = this.seen;
			if (before != null && (reading == before || reading.begun() - before.begun() < this.shortestNanos)) {
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
	 * @param begun when the read was begun, by the monotonic clock. Times that the agenda
	 * says count from then: the read itself may take long
	 * @param ended when it had ended
	 */
	record Reading(Agenda agenda, long begun, long ended) {

	}

}
