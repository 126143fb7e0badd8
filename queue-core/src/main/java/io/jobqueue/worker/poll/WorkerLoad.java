package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.QueueShares;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.AtSlots;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.MissedJobs;
import io.jobqueue.worker.run.Slots;
import io.jobqueue.worker.thread.WakeUp;

/**
 * How much this worker holds, and how many more jobs it may claim.
 */
public final class WorkerLoad {

	private final HeldAttempts held;

	private final MissedJobs missed;

	private final Slots slots;

	private final Capacity capacity;

	private final WakeUp wakeUp;

	private final WorkerSettings.Shares shares;

	/** Whether the last round found no room, so that the poll loop may be asleep. */
	private volatile boolean full;

	/** The rest is used by the poll loop's thread only: how many jobs a slot takes. */
	private int perSlot = 1;

	/** Of batch handlers, by the last claim. */
	private int added;

	private int chunkSize = Integer.MAX_VALUE;

	/**
	 * Begins with nothing.
	 * @param held the attempts that the worker holds
	 * @param missed jobs of row-lock queues that it has missed
	 * @param slots where attempts run
	 * @param capacity how many it may hold
	 * @param wakeUp wakes the poll loop
	 * @param shares how slots are shared among queues
	 */
	public WorkerLoad(HeldAttempts held, MissedJobs missed, Slots slots, Capacity capacity, WakeUp wakeUp,
			WorkerSettings.Shares shares) {
		this.held = held;
		this.missed = missed;
		this.slots = slots;
		this.capacity = capacity;
		this.wakeUp = wakeUp;
		this.shares = shares;
	}

	/**
	 * How queues share what there is room for.
	 */
	QueueShares shares() {
		return new QueueShares(this.shares.weights(), rooms());
	}

	/**
	 * Leaves out ranges of queues that run as many jobs as they may. The end of one of
	 * these wakes the poll loop.
	 * @param ranges the ranges
	 */
	List<ReadyRange> withRoom(List<ReadyRange> ranges) {
		Map<String, Integer> rooms = rooms();
		return rooms.isEmpty() ? ranges
				: ranges.stream().filter((range) -> rooms.getOrDefault(range.queue(), 1) > 0).toList();
	}

	/**
	 * How many more jobs of each queue may run that has slots of its own.
	 */
	private Map<String, Integer> rooms() {
		if (this.shares.concurrency().isEmpty()) {
			return Map.of();
		}
		Map<String, Integer> rooms = new HashMap<>(this.shares.concurrency());
		// As many jobs as slots, though those of batch handlers may share one: what comes
		// may be of other types.
		Map<String, List<Attempt>> byQueue = this.held.stream()
			.filter((attempt) -> rooms.containsKey(attempt.job().queue()) && AtSlots.isToRun(attempt))
			.collect(Collectors.groupingBy((attempt) -> attempt.job().queue()));
		byQueue.forEach((queue, attempts) -> rooms.merge(queue, -slots(attempts), Integer::sum));
		return rooms;
	}

	/**
	 * How many slots attempts take, or will: those of a chunk one, those that wait as
	 * many as chunks of their type need.
	 */
	private static int slots(List<Attempt> attempts) {
		Set<Object> running = new HashSet<>();
		Map<String, Double> waiting = new HashMap<>();
		for (Attempt attempt : attempts) {
			if (attempt.isWaiting()) {
				waiting.merge(attempt.job().type(), Chunk.share(attempt), Double::sum);
			}
			else {
				running.add(Chunk.isFor(attempt) ? attempt.all() : attempt);
			}
		}
		return running.size() + waiting.values().stream().mapToInt(AtSlots::rounded).sum();
	}

	/**
	 * How much it is now.
	 */
	Snapshot now() {
		// Before anything is counted, so that a slot which takes the last job meanwhile
		// wakes the loop.
		this.full = true;
		Capacity.Limits most = this.capacity.limits(this.held.stuck(), this.slots.areStanding());
		// In this order: the finisher lowers the second before it lowers the first.
		int all = this.held.size();
		int deferred = Math.min(all, this.capacity.deferred());
		AtSlots atSlots = this.held.atSlots();
		double holds = all - deferred - atSlots.spared();
		double slots = Math.min(most.toRun() - atSlots.toRun(), most.held() - holds);
		int room = (int) (slots * this.perSlot + AtSlots.ROUNDING);
		// Again: an attempt that was given up meanwhile is not held, but at work.
		int lingering = this.held.stuck() + atSlots.overdue() + deferred;
		// A quarter of what it may hold ahead of its slots. If it holds more than it has
		// slots, some wait for a slot or for a commit; the end of either wakes the loop.
		int worthwhile = (most.toRun() - this.slots.count()) / 4;
		this.full = room <= 0 || (room < worthwhile && holds > this.slots.count());
		return new Snapshot((int) Math.ceil(holds - AtSlots.ROUNDING), this.full ? 0 : room, lingering, most.toRun());
	}

	/**
	 * No attempt waits for a slot any more: there may be room, though no result is
	 * committed.
	 */
	public void noneWaits() {
		if (this.full) {
			this.wakeUp.signal();
		}
	}

	/**
	 * Notes how long a claim took.
	 * @param jobs how many jobs it brought
	 * @param nanos how long it took
	 */
	void claimed(int jobs, long nanos) {
		this.capacity.claimed(jobs, nanos);
		// Where jobs come that a slot takes many of at once, as many are claimed.
		this.perSlot = (2 * this.added >= jobs && this.added > 0) ? this.chunkSize : 1;
		this.added = 0;
		this.chunkSize = Integer.MAX_VALUE;
	}

	/**
	 * The same as a claim has to know it.
	 */
	Load load(Snapshot now) {
		return new Load(now.held(), heldLimit(), this.slots.count());
	}

	/**
	 * How many attempts it may hold in all, because of suspects among their jobs.
	 */
	private int heldLimit() {
		return this.held.stream()
			.mapToInt((attempt) -> attempt.job().suspicion().heldLimit(this.slots.count()))
			.filter((limit) -> limit != Suspicion.NO_LIMIT)
			.min()
			.orElse(Suspicion.NO_LIMIT);
	}

	boolean holds(Claim claim) {
		return this.held.contains(claim);
	}

	/**
	 * The jobs of row-lock queues that are not to be claimed, though they look ready: it
	 * holds them, or has just missed them.
	 */
	Set<Long> rowLocked() {
		Set<Long> ids = this.held.all()
			.stream()
			.filter((attempt) -> attempt.job().isRowLock())
			.map((attempt) -> attempt.claim().id())
			.collect(Collectors.toSet());
		ids.addAll(this.missed.current());
		return ids;
	}

	/**
	 * How long the oldest attempt has run.
	 */
	Duration oldest() {
		return this.held.oldest();
	}

	/**
	 * Takes an attempt on.
	 * @param attempt the attempt
	 */
	void add(Attempt attempt) {
		if (Chunk.isFor(attempt)) {
			this.added++;
			this.chunkSize = Math.min(this.chunkSize, attempt.handler().chunks().size());
		}
		this.held.add(attempt);
		this.slots.add(attempt);
	}

	/**
	 * What a worker holds at one time.
	 *
	 * @param held how many attempts, without deferred results
	 * @param room how many more jobs to claim; 0 also if so few that it is not worth it
	 * @param lingering how many results cannot be committed, and how many slots are lost
	 * to handlers that were given up or whose transaction does not end: with these the
	 * worker does not get empty
	 * @param mostToRun how many attempts may run or wait for a slot
	 */
	record Snapshot(int held, int room, int lingering, int mostToRun) {

	}

}
