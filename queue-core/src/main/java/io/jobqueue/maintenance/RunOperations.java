package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.jobqueue.store.OperationStore;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.SqlFailure;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on operations on many jobs, some jobs of one at a time. If some cannot be changed
 * together, the one for which that is so is found, and passed over.
 */
public final class RunOperations implements Chore, QueueListener {

	private static final Logger log = LoggerFactory.getLogger(RunOperations.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/** In one transaction. */
	private static final int MOST = 200;

	private static final int TURNS = 10;

	/** So many that fail one after another do so for a reason of all. */
	private static final int MOST_FAILED = 50;

	private final OperationStore store;

	private final BooleanSupplier agenda;

	private final QueueListeners listeners;

	private volatile boolean begun;

	/** How many jobs were passed over without success since. Used by one thread. */
	private final Map<Long, Integer> failed = new HashMap<>();

	/**
	 * Creates the chore.
	 * @param store the operations
	 * @param agenda tells whether any goes on
	 * @param listeners who is told of what is committed
	 */
	public RunOperations(OperationStore store, BooleanSupplier agenda, QueueListeners listeners) {
		this.store = store;
		this.agenda = agenda;
		this.listeners = listeners;
	}

	@Override
	public String name() {
		return "run operations";
	}

	@Override
	public Duration interval() {
		return INTERVAL;
	}

	@Override
	public void operationBegun() {
		this.begun = true;
	}

	@Override
	public int runOnce() {
		boolean known = this.begun;
		this.begun = false;
		if (!known && !this.agenda.getAsBoolean()) {
			return NOT_DUE;
		}
		int changed = 0;
		List<Long> running = this.store.running();
		while (!running.isEmpty() && !Thread.currentThread().isInterrupted()) {
			List<Long> again = new ArrayList<>();
			for (long id : running) {
				Part part = some(id);
				changed += part.changed();
				if (part.goesOn()) {
					again.add(id);
				}
			}
			running = again.isEmpty() ? again : withBegun(again);
		}
		return changed;
	}

	/**
	 * Those that were begun meanwhile do not wait for the end of the others.
	 */
	private List<Long> withBegun(List<Long> again) {
		long last = again.get(again.size() - 1);
		List<Long> all = new ArrayList<>(again);
		this.store.running().stream().filter((id) -> id > last).forEach(all::add);
		return all;
	}

	private Part some(long id) {
		try {
			return run(id);
		}
		catch (RuntimeException ex) {
			if (isOutage(ex) || SqlFailure.isConflict(ex)) {
				throw ex;
			}
			log.warn(
					"Operation {} is stopped, since it fails. What it has changed stays; begin another one for the rest "
							+ "once the reason is gone: {}",
					id, ex.toString());
			this.store.giveUp(id, ex.toString());
			return new Part(0, false);
		}
	}

	/**
	 * Some turns of one operation, so that others have theirs.
	 */
	private Part run(long id) {
		int changed = 0;
		int limit = MOST;
		boolean goesOn = true;
		for (int turn = 0; turn < TURNS && goesOn && !Thread.currentThread().isInterrupted(); turn++) {
			Long only = null;
			try {
				only = (limit == 1) ? this.store.next(id).orElse(null) : null;
				OperationStore.Turn done = this.store.turn(id, limit);
				int now = told(done);
				changed += now;
				goesOn = done.goesOn();
				if (!goesOn || now > 0) {
					this.failed.remove(id);
				}
				limit = Math.min(MOST, limit * 2);
			}
			catch (RuntimeException ex) {
				if (isOutage(ex)) {
					throw ex;
				}
				if (limit > 1) {
					limit = Math.max(1, limit / 8);
				}
				else {
					goesOn = passOver(id, only, ex);
				}
			}
		}
		return new Part(changed, goesOn);
	}

	/**
	 * @param job the job that was to be changed; null if nobody knows
	 */
	private boolean passOver(long id, @Nullable Long job, RuntimeException failure) {
		boolean locked = SqlFailure.isConflict(failure);
		if (!locked && this.failed.merge(id, 1, Integer::sum) > MOST_FAILED) {
			this.failed.remove(id);
			log.warn(
					"Operation {} is stopped, since {} jobs in a row could not be changed. What it has changed stays; begin "
							+ "another one for the rest once the reason is gone: {}",
					id, MOST_FAILED, failure.toString());
			this.store.giveUp(id, MOST_FAILED + " jobs in a row could not be changed: " + failure);
			return false;
		}
		if (job == null) {
			// Even the next job could not be read. Another turn asks again.
			return true;
		}
		OperationStore.Passed passed = this.store.passOver(id, job, locked ? null : failure.toString());
		if (!locked && passed.passed()) {
			log.warn("Operation {} passes over job {}, which cannot be changed: {}", id, job, failure.toString());
		}
		return passed.goesOn();
	}

	/**
	 * A commit that the server refuses because of its size may succeed with less in it.
	 */
	private static boolean isOutage(RuntimeException failure) {
		return SqlFailure.isOutage(failure) && !SqlFailure.mayBeTooLarge(failure);
	}

	private int told(OperationStore.Turn turn) {
		turn.cancelled().forEach((job) -> this.listeners.tell((listener) -> listener.cancelled(job)));
		if (turn.redriven() > 0) {
			this.listeners.tell(QueueListener::becameReady);
		}
		return turn.cancelled().size() + turn.redriven();
	}

	/**
	 * What has come of some turns.
	 */
	private record Part(int changed, boolean goesOn) {

	}

}
