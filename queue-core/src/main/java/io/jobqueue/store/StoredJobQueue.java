package io.jobqueue.store;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.jobqueue.BlockedKey;
import io.jobqueue.Job;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job queue on top of the stores: checks and writes payloads, and tells the node's
 * worker what was committed.
 */
public class StoredJobQueue implements JobQueue {

	private static final Logger log = LoggerFactory.getLogger(StoredJobQueue.class);

	private static final int BATCH = 200;

	private final ApplicationStore store;

	private final RepeatedEnqueue enqueue;

	private final Queues queues;

	private final PayloadWriter payloads;

	private final OrderKeys orderKeys;

	private final QueueListeners listeners;

	private final Audit audit;

	/**
	 * Creates a queue.
	 * @param store where the jobs are
	 * @param queues where the queues are
	 * @param orderKeys where order keys are
	 * @param payloads how payloads are written
	 * @param listeners who is told of what is committed
	 * @param audit where is written what operators do
	 */
	public StoredJobQueue(ApplicationStore store, Queues queues, OrderKeys orderKeys, PayloadWriter payloads,
			QueueListeners listeners, Audit audit) {
		this.store = store;
		this.enqueue = new RepeatedEnqueue(store, listeners);
		this.queues = queues;
		this.orderKeys = orderKeys;
		this.payloads = payloads;
		this.listeners = listeners;
		this.audit = audit;
	}

	@Override
	public long enqueue(NewJob job) {
		return this.enqueue.enqueue(List.of(this.payloads.written(job))).get(0);
	}

	@Override
	public List<Long> enqueueAll(Iterable<NewJob> jobs) {
		List<EnqueuedJob> written = new ArrayList<>();
		for (NewJob job : jobs) {
			written.add(this.payloads.written(job));
		}
		return this.enqueue.enqueue(written);
	}

	@Override
	public Optional<Job> find(long id) {
		return this.store.find(id);
	}

	@Override
	public boolean cancel(long id) {
		return this.audit.ofOperator("cancel", "job " + id, () -> cancelOne(id), StoredJobQueue::one);
	}

	private static long one(boolean done) {
		return done ? 1 : 0;
	}

	private boolean cancelOne(long id) {
		boolean cancelled = this.store.cancel(id);
		if (cancelled) {
			this.listeners.tell((listener) -> listener.cancelled(id));
		}
		return cancelled;
	}

	@Override
	public Optional<Job> findByKey(String type, String uniqueKey) {
		checkedKey(type, uniqueKey);
		return this.store.findByKey(type, uniqueKey);
	}

	@Override
	public boolean cancelByKey(String type, String uniqueKey) {
		checkedKey(type, uniqueKey);
		return this.audit.ofOperator("cancel", "job of " + type + " with the unique key " + uniqueKey,
				() -> cancelHolder(type, uniqueKey), StoredJobQueue::one);
	}

	private boolean cancelHolder(String type, String uniqueKey) {
		Optional<Long> id = this.store.liveJobOfKey(type, uniqueKey);
		while (id.isPresent()) {
			if (cancelOne(id.get())) {
				return true;
			}
			// It has ended in between, and perhaps another one has the key now.
			Optional<Long> next = this.store.liveJobOfKey(type, uniqueKey);
			id = next.equals(id) ? Optional.empty() : next;
		}
		return false;
	}

	@Override
	public int cancelAll(@Nullable String queue, @Nullable String type) {
		checkNames(queue, type);
		if (queue == null && type == null) {
			throw new IllegalArgumentException("queue and type must not both be null, which would cancel every job");
		}
		BulkCancel cancel = new BulkCancel(this.store,
				(id) -> this.listeners.tell((listener) -> listener.cancelled(id)));
		return this.audit.of("cancel", "jobs of " + described(queue, type), () -> cancel.run(queue, type),
				Integer::longValue);
	}

	@Override
	public boolean reschedule(long id, Instant availableAt) {
		Instant checked = Objects.requireNonNull(NewJob.of("any").availableAt(availableAt).availableAt());
		boolean rescheduled = this.audit.ofOperator("reschedule", "job " + id + " to " + checked,
				() -> this.store.reschedule(id, checked), StoredJobQueue::one);
		if (rescheduled) {
			this.listeners.tell(QueueListener::becameReady);
		}
		return rescheduled;
	}

	@Override
	public boolean redrive(long id) {
		boolean redriven = this.audit.of("redrive", "job " + id, () -> this.store.redrive(List.of(id)),
				Integer::longValue) == 1;
		if (redriven) {
			this.listeners.tell(QueueListener::becameReady);
		}
		return redriven;
	}

	@Override
	public int redrive(@Nullable String queue, @Nullable String type) {
		checkNames(queue, type);
		return this.audit.of("redrive", "dead jobs of " + described(queue, type), () -> redriveAll(queue, type),
				Integer::longValue);
	}

	private static String described(@Nullable String queue, @Nullable String type) {
		return ((queue != null) ? "queue " + queue : "every queue") + ", "
				+ ((type != null) ? "type " + type : "every type");
	}

	private int redriveAll(@Nullable String queue, @Nullable String type) {
		int redriven = 0;
		// What dies again during the call is not redriven again.
		LocalDateTime until = this.store.now();
		ApplicationStore.DeadJob last = null;
		while (true) {
			List<ApplicationStore.DeadJob> dead = this.store.dead(queue, type, last, until, BATCH);
			if (dead.isEmpty()) {
				return redriven;
			}
			redriven += this.store.redrive(dead.stream().map(ApplicationStore.DeadJob::id).toList());
			this.listeners.tell(QueueListener::becameReady);
			last = dead.get(dead.size() - 1);
		}
	}

	@Override
	public void pause(String queue) {
		setPaused(queue, true);
	}

	@Override
	public void resume(String queue) {
		setPaused(queue, false);
	}

	private void setPaused(String queue, boolean paused) {
		String checked = checkedQueue(queue);
		this.audit.of(paused ? "pause" : "resume", "queue " + checked, () -> {
			this.queues.setPaused(checked, paused);
			return 1;
		}, Integer::longValue);
		log.info("The queue '{}' was {}", queue, paused ? "paused" : "resumed");
		this.listeners.tell((listener) -> listener.paused(queue, paused));
	}

	@Override
	public List<BlockedKey> blockedKeys(int limit) {
		if (limit < 1) {
			throw new IllegalArgumentException("limit must be at least 1, but is " + limit);
		}
		return this.orderKeys.blocked(limit);
	}

	@Override
	public boolean unblock(String orderKey, @Nullable Long deadJob) {
		String checked = Objects.requireNonNull(NewJob.of("any").orderKey(orderKey).orderKey());
		boolean unblocked = this.audit.of("unblock", "order key " + checked,
				() -> this.orderKeys.unblock(checked, deadJob), StoredJobQueue::one);
		if (unblocked) {
			log.info("The order key '{}' was unblocked", checked);
			this.listeners.tell(QueueListener::becameReady);
		}
		return unblocked;
	}

	private static void checkNames(@Nullable String queue, @Nullable String type) {
		if (queue != null) {
			checkedQueue(queue);
		}
		if (type != null) {
			NewJob.of(type);
		}
	}

	private static void checkedKey(String type, String uniqueKey) {
		NewJob.of(type).uniqueKey(uniqueKey);
	}

	private static String checkedQueue(String queue) {
		return NewJob.of("any").queue(queue).queue();
	}

}
