package io.jobqueue.worker;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.WorkerSessions;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of claimed jobs that this worker has no handler for: they are given back
 * for a worker that has one, and their type is left to others for a while. If no live
 * worker has one, they are given back with a delay that grows with every claim, and the
 * type is told of once.
 */
final class UnhandledTypes {

	private static final Logger log = LoggerFactory.getLogger(UnhandledTypes.class);

	private static final int MAX_DOUBLINGS = 6;

	private static final long LEAVE_NANOS = Duration.ofSeconds(10).toNanos();

	/** Twice the longest delay, and more. */
	private static final long FORGET_NANOS = Duration.ofMinutes(3).toNanos();

	private static final long LOOK_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

	private final WorkerSessions sessions;

	private final WorkerListener listener;

	private final LongSupplier nanoTime;

	/**
	 * Until when each type is left to others; used by the poll loop's thread only, as is
	 * the next.
	 */
	private final Map<Kind, Long> leftUntil = new ConcurrentHashMap<>();

	private final Map<Kind, Long> lookedAt = new ConcurrentHashMap<>();

	/** When each type was met last that nobody handles. */
	private final Map<String, Long> unhandled = new ConcurrentHashMap<>();

	UnhandledTypes(WorkerSessions sessions, WorkerListener listener, LongSupplier nanoTime) {
		this.sessions = sessions;
		this.listener = listener;
		this.nanoTime = nanoTime;
	}

	/**
	 * The types that no live worker handled when this worker last met them, which was not
	 * long ago: their jobs come back every minute or so, until they are cancelled.
	 */
	Set<String> current() {
		long now = this.nanoTime.getAsLong();
		this.unhandled.values().removeIf((met) -> now - met > FORGET_NANOS);
		return new TreeSet<>(this.unhandled.keySet());
	}

	/**
	 * The types that other live workers handle and this one does not.
	 */
	Set<String> leftToOthers() {
		long now = this.nanoTime.getAsLong();
		this.leftUntil.values().removeIf((until) -> now - until >= 0);
		return this.leftUntil.keySet().stream().map(Kind::type).collect(Collectors.toSet());
	}

	Finish giveBack(ClaimedJob job) {
		if (isHandledElsewhere(job.type(), job.queue(), job.claim().id())) {
			return new Finish.Release(job.claim(), Duration.ZERO);
		}
		// Each claim and each release adds one to the fence, so it tells how often the
		// job has been here.
		int doublings = (int) Math.min(MAX_DOUBLINGS, (job.claim().fence() - 1) / 2);
		return new Finish.Release(job.claim(), Duration.ofSeconds(1L << doublings));
	}

	private boolean isHandledElsewhere(String type, String queue, long jobId) {
		long now = this.nanoTime.getAsLong();
		Kind kind = new Kind(type, queue);
		if (this.leftUntil.containsKey(kind)) {
			return true;
		}
		Long last = this.lookedAt.get(kind);
		if (last != null && now - last < LOOK_AGAIN_NANOS) {
			return false;
		}
		this.lookedAt.put(kind, now);
		if (this.sessions.list().stream().anyMatch((session) -> handles(session, type, queue))) {
			this.unhandled.remove(type);
			this.leftUntil.put(kind, now + LEAVE_NANOS);
			return true;
		}
		if (this.unhandled.put(type, now) == null) {
			log.warn(
					"No live worker has a handler for jobs of type '{}', such as job {}. They are given back and wait; "
							+ "deploy a @JobHandler(\"{}\") or cancel them",
					type, jobId, type);
			this.listener.unhandled(type);
		}
		return false;
	}

	private static boolean handles(WorkerSessions.Session session, String type, String queue) {
		return session.types().contains(type) && (session.queues().isEmpty() || session.queues().contains(queue));
	}

	/**
	 * Whether a type is handled elsewhere depends on the queue: a worker may serve only
	 * some.
	 */
	private record Kind(String type, String queue) {

	}

}
