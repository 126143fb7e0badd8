package io.jobqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

import io.jobqueue.CurrentActor;
import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.Operation;
import io.jobqueue.Operations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations on many jobs on top of their store.
 */
public class StoredOperations implements Operations {

	private static final Logger log = LoggerFactory.getLogger(StoredOperations.class);

	private static final int MOST = 1_000;

	private final OperationStore store;

	private final JobListing listing;

	private final QueueListeners listeners;

	private final Audit audit;

	private final int maxPayloadBytes;

	/**
	 * Creates the operations.
	 * @param store where they are
	 * @param listing how jobs are counted
	 * @param listeners who is told of what is committed
	 * @param audit where is written what operators do
	 * @param maxPayloadBytes how large a payload may be, in UTF-8
	 */
	public StoredOperations(OperationStore store, JobListing listing, QueueListeners listeners, Audit audit,
			int maxPayloadBytes) {
		this.store = store;
		this.listing = listing;
		this.listeners = listeners;
		this.audit = audit;
		this.maxPayloadBytes = maxPayloadBytes;
	}

	@Override
	public Operation redrive(JobFilter filter) {
		if (filter.state() != JobState.DEAD) {
			throw new IllegalArgumentException("Only dead jobs can be redriven, but the state is " + filter.state());
		}
		return begin(Operation.Action.REDRIVE, filter);
	}

	@Override
	public Operation cancel(JobFilter filter) {
		if (filter.state() == null || !filter.state().isLive()) {
			throw new IllegalArgumentException("Only live jobs can be cancelled, but the state is " + filter.state());
		}
		if (filter.queue() == null && filter.type() == null && filter.orderKey() == null && filter.limitKey() == null) {
			throw new IllegalArgumentException(
					"Name a queue, a type or a key: without one, every " + filter.state() + " job would be cancelled");
		}
		return begin(Operation.Action.CANCEL, filter);
	}

	private Operation begin(Operation.Action action, JobFilter filter) {
		JobCount expected = this.listing.count(filter);
		String actor = this.audit.actor();
		long id = this.audit.by(actor, action.name().toLowerCase(Locale.ROOT), described(filter) + ", " + expected,
				() -> this.store.begin(action, filter, expected, actor), (begun) -> null);
		log.info("Operation {} was begun{}: {} {} job(s), {}", id, actor.isEmpty() ? "" : " by " + actor, action,
				expected, described(filter));
		this.listeners.tell(QueueListener::operationBegun);
		return this.store.find(id).orElseThrow();
	}

	private static String described(JobFilter filter) {
		StringBuilder text = new StringBuilder("jobs that are ").append(filter.state());
		append(text, "queue", filter.queue());
		append(text, "type", filter.type());
		append(text, "order key", filter.orderKey());
		append(text, "limit key", filter.limitKey());
		append(text, "cause", filter.cause());
		append(text, "from", filter.from());
		append(text, "until", filter.until());
		return text.toString();
	}

	private static void append(StringBuilder text, String name, @Nullable Object value) {
		if (value != null) {
			text.append(", ").append(name).append(' ').append(value);
		}
	}

	@Override
	public boolean cancel(long id, JobState seen) {
		if (!seen.isLive()) {
			throw new IllegalArgumentException("Only live jobs can be cancelled, but the state is " + seen);
		}
		boolean cancelled = this.audit.of("cancel", "job " + id, () -> this.store.cancel(id, seen),
				(done) -> done ? 1L : 0L);
		if (cancelled) {
			this.listeners.tell((listener) -> listener.cancelled(id));
		}
		return cancelled;
	}

	@Override
	public boolean reschedule(long id, Instant seen, Instant availableAt) {
		Instant checked = Objects.requireNonNull(NewJob.of("any").availableAt(availableAt).availableAt());
		boolean rescheduled = this.audit.of("reschedule", "job " + id + " to " + checked,
				() -> this.store.reschedule(id, seen, checked), (done) -> done ? 1L : 0L);
		if (rescheduled) {
			this.listeners.tell(QueueListener::becameReady);
		}
		return rescheduled;
	}

	@Override
	public boolean stop(long id) {
		boolean stopped = this.audit.of("stop", "operation " + id, () -> this.store.stop(id), (done) -> done ? 1L : 0L);
		if (stopped) {
			log.info("Operation {} was stopped", id);
		}
		return stopped;
	}

	@Override
	public Optional<Operation> find(long id) {
		return this.store.find(id);
	}

	@Override
	public List<Operation> list(int limit) {
		if (limit < 1 || limit > MOST) {
			throw new IllegalArgumentException("limit must be from 1 to " + MOST + ", but is " + limit);
		}
		return this.store.list(limit);
	}

	@Override
	public boolean redrive(long id, @Nullable String seen, String payload) {
		int bytes = payload.getBytes(StandardCharsets.UTF_8).length;
		if (bytes > this.maxPayloadBytes) {
			throw new IllegalArgumentException(
					"The payload has " + bytes + " bytes, but the limit is " + this.maxPayloadBytes);
		}
		boolean redriven = this.audit.of("redrive with another payload", "job " + id,
				() -> this.store.redrive(id, seen, payload), (done) -> done ? 1L : 0L);
		if (redriven) {
			this.listeners.tell(QueueListener::becameReady);
		}
		return redriven;
	}

}
