package io.jobqueue.worker.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.jobqueue.worker.attempt.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one batch handler that wait for a slot. One slot at a time makes a
 * chunk of them, so that idle slots do not take a few each; no transaction is open
 * meanwhile.
 */
final class ChunkQueue implements Slots.Next {

	private final BlockingQueue<Attempt> waiting = new LinkedBlockingQueue<>();

	/** Whether it is offered to the slots, or one of them makes a chunk. */
	private final AtomicBoolean offered = new AtomicBoolean();

	private final Consumer<Slots.Next> slots;

	private final LongSupplier nanoTime;

	ChunkQueue(Consumer<Slots.Next> slots, LongSupplier nanoTime) {
		this.slots = slots;
		this.nanoTime = nanoTime;
	}

	void add(Attempt attempt) {
		this.waiting.add(attempt);
		offer();
	}

	private void offer() {
		if (this.offered.compareAndSet(false, true)) {
			this.slots.accept(this);
		}
	}

	@Override
	public List<Attempt> take() {
		List<Attempt> chunk = new ArrayList<>();
		try {
			fill(chunk);
		}
		finally {
			this.offered.set(false);
			if (!this.waiting.isEmpty()) {
				offer();
			}
		}
		return chunk;
	}

	/**
	 * What was given back meanwhile is left out.
	 */
	private void fill(List<Attempt> chunk) {
		Attempt next = this.waiting.poll();
		while (next != null) {
			if (next.isWaiting()) {
				chunk.add(next);
			}
			boolean full = chunk.size() >= next.handler().chunks().size();
			next = full ? null : next(chunk);
		}
	}

	private @Nullable Attempt next(List<Attempt> chunk) {
		Attempt there = this.waiting.poll();
		long left = chunk.isEmpty() ? 0 : left(chunk.get(0));
		if (there != null || left <= 0) {
			return there;
		}
		try {
			return this.waiting.poll(left, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// A late interrupt of an attempt that has ended: the chunk is as it is.
			return this.waiting.poll();
		}
	}

	/** For how long the first one of a chunk waits for others, in nanoseconds. */
	private long left(Attempt first) {
		return first.handler().chunks().linger().minus(first.waited(this.nanoTime.getAsLong())).toNanos();
	}

}
