package io.jobqueue.worker.session;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.text.Durations;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's session. It is current for the session timeout after the last good
 * heartbeat was <em>sent</em>, by this machine's monotonic clock; while it is not, no
 * attempt is started. Whether it has ended is for the database to say.
 */
public final class WorkerSession {

	private static final Logger log = LoggerFactory.getLogger(WorkerSession.class);

	private final WorkerSessions sessions;

	private final NewSession description;

	private final Duration timeout;

	private final LongSupplier nanoTime;

	private final IntSupplier busy;

	private final Runnable onEnded;

	/**
	 * Not a monitor: the virtual thread of a slot that waits for the database in one
	 * keeps its carrier thread (Java 21 to 23).
	 */
	private final ReentrantLock lock = new ReentrantLock();

	private volatile long id;

	/** How many heartbeats of the session were acknowledged. */
	private volatile Beats beats = new Beats(0, 0);

	private volatile boolean open;

	private volatile long lastGoodNanos;

	private volatile long lostUntilNanos;

	private volatile boolean failing;

	/** Set once the worker has stopped; a late heartbeat must not open a new session. */
	@GuardedBy("lock")
	private boolean closed;

	public WorkerSession(WorkerSessions sessions, NewSession description, Duration timeout, IntSupplier busy,
			Runnable onEnded, LongSupplier nanoTime) {
		this.sessions = sessions;
		this.description = description;
		this.timeout = timeout;
		this.busy = busy;
		this.onEnded = onEnded;
		this.nanoTime = nanoTime;
		this.lostUntilNanos = nanoTime.getAsLong();
	}

	public Duration timeout() {
		return this.timeout;
	}

	public long id() {
		return this.id;
	}

	/**
	 * What a read that sees everything must at least have seen of this session.
	 */
	public Beats beats() {
		return this.beats;
	}

	/**
	 * Whether others must regard this worker as alive, so that it may start attempts.
	 */
	public boolean isCurrent() {
		return this.open && this.nanoTime.getAsLong() - this.lastGoodNanos < this.timeout.toNanos();
	}

	public Duration sinceLastGood() {
		return Duration.ofNanos(this.nanoTime.getAsLong() - this.lastGoodNanos);
	}

	/**
	 * Prolongs the session, or opens one if there is none.
	 * @return what came of it
	 */
	public Beat beat() {
		this.lock.lock();
		try {
			return beatLocked();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The heartbeat that is due at each interval. One that failed only after that time,
	 * because its connection was silent, is sent again at once: the next would come too
	 * late.
	 * @param interval how often this is called
	 */
	public void beatInTime(Duration interval) {
		long sent = this.nanoTime.getAsLong();
		if (beat() == Beat.FAILED && this.nanoTime.getAsLong() - sent > interval.toNanos()) {
			beat();
		}
	}

	@GuardedBy("lock")
	private Beat beatLocked() {
		long sent = this.nanoTime.getAsLong();
		if (this.closed) {
			return Beat.FAILED;
		}
		try {
			if (this.open && this.sessions.heartbeat(this.id, this.busy.getAsInt(), this.timeout)) {
				this.beats = new Beats(this.id, this.beats.count() + 1);
				good(sent);
				return Beat.GOOD;
			}
			boolean ended = this.open;
			this.open = false;
			this.id = this.sessions.open(this.description, this.timeout);
			this.beats = new Beats(this.id, 0);
			this.open = true;
			good(sent);
			if (ended) {
				log.warn("Worker session had ended because no heartbeat came in time; what it held runs elsewhere. "
						+ "Going on in session {}", this.id);
				this.onEnded.run();
				return Beat.ENDED;
			}
			return Beat.GOOD;
		}
		catch (RuntimeException ex) {
			this.lostUntilNanos = this.nanoTime.getAsLong();
			if (!this.failing) {
				this.failing = true;
				log.warn(
						"Heartbeat of worker session {} failed; if none succeeds within {}, the worker starts no more jobs: {}",
						this.id, Durations.text(this.timeout), ex.toString());
			}
			return Beat.FAILED;
		}
	}

	private void good(long sent) {
		this.lastGoodNanos = sent;
		if (this.failing) {
			this.failing = false;
			// It was lost until now: attempts that have started since the last failure
			// may have met a connection that was dead already.
			this.lostUntilNanos = this.nanoTime.getAsLong();
			log.info("Heartbeat of worker session {} is back", this.id);
		}
	}

	/**
	 * Tells whether the database was lost at some time since an attempt started.
	 * Heartbeats keep one connection for as long as it lasts, so its loss shows a restart
	 * that new connections would not notice.
	 * @param sinceNanos when the attempt started
	 * @return true if the database is lost now, or was since then
	 */
	public boolean lostSince(long sinceNanos) {
		return wasLostSince(sinceNanos) || beat() != Beat.GOOD || wasLostSince(sinceNanos);
	}

	/**
	 * The same, as far as is known without another heartbeat.
	 */
	public boolean wasLostSince(long sinceNanos) {
		return this.lostUntilNanos - sinceNanos > 0;
	}

	/**
	 * Ends the session. If the database has not answered lately it is not asked again:
	 * the session ends by itself.
	 */
	public void close() {
		this.lock.lock();
		try {
			closeLocked();
		}
		finally {
			this.lock.unlock();
		}
	}

	@GuardedBy("lock")
	private void closeLocked() {
		boolean reachable = isCurrent();
		this.closed = true;
		this.open = false;
		if (reachable) {
			try {
				this.sessions.close(this.id);
			}
			catch (RuntimeException ex) {
				log.warn("Worker session {} could not be closed; it ends after {}: {}", this.id,
						Durations.text(this.timeout), ex.toString());
			}
		}
		this.sessions.disconnect();
	}

	/**
	 * The acknowledged heartbeats of a session.
	 *
	 * @param session its id; 0 if none was opened yet
	 * @param count how many there were at least
	 */
	public record Beats(long session, long count) {

	}

	/**
	 * What came of a heartbeat.
	 */
	public enum Beat {

		/** The session is prolonged. */
		GOOD,

		/** It had ended; a new one is open, which holds nothing. */
		ENDED,

		/** The database did not answer, or with an error. */
		FAILED

	}

}
