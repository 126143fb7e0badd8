package io.jobqueue.worker.poll;

import java.time.Duration;

import io.jobqueue.poison.Load;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.run.Slots;

/**
 * How much this worker holds, and how many more jobs it may claim.
 */
public final class WorkerLoad {

	private final HeldAttempts held;

	private final Slots slots;

	private final Capacity capacity;

	public WorkerLoad(HeldAttempts held, Slots slots, Capacity capacity) {
		this.held = held;
		this.slots = slots;
		this.capacity = capacity;
	}

	/**
	 * How much it is now.
	 */
	Snapshot now() {
		Capacity.Limits most = this.capacity.limits(this.held.stuck());
		// In this order: the finisher lowers the second before it lowers the first.
		int all = this.held.size();
		int deferred = Math.min(all, this.capacity.deferred());
		int holds = all - deferred;
		int toRun = this.slots.waiting() + this.held.active();
		int room = Math.min(most.toRun() - toRun, most.held() - holds);
		// Again: an attempt that was given up meanwhile is not held, but at work.
		int lingering = this.held.stuck() + this.held.overdue() + deferred;
		// If it holds more than its slots run, a commit is to come, which wakes the loop.
		boolean full = room <= 0 || (room < most.toRun() / 4 && holds > this.slots.count());
		return new Snapshot(holds, full ? 0 : room, lingering);
	}

	/**
	 * The same as a claim has to know it.
	 */
	Load load(Snapshot now) {
		return new Load(now.held(), this.held.limit(this.slots.count()), this.slots.count());
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
		this.held.add(attempt);
		this.slots.add(attempt);
	}

	/**
	 * What a worker holds at one time.
	 *
	 * @param held how many attempts, without results that wait to be committed
	 * @param room how many more jobs to claim; 0 also if so few that it is not worth it
	 * @param lingering how many results cannot be committed, and how many slots are lost
	 * to handlers that were given up or whose transaction does not end: with these the
	 * worker does not get empty
	 */
	record Snapshot(int held, int room, int lingering) {

	}

}
