package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.jobqueue.store.Claim;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.thread.ResilientThread;

/**
 * The attempts that this worker holds: claimed, and their ends not yet committed. An
 * attempt leaves in one of two ways, both of them here: its end is committed
 * ({@link #ended}), be it that it ran or that it was given back ({@link #giveBack}), or
 * its claim is no longer this worker's ({@link #letGo}).
 */
public final class HeldAttempts {

	private final Consumer<AttemptResult> results;

	private final AttemptEvents events;

	private final LongSupplier nanoTime;

	/**
	 * By claim and not by job: the handler of a claim that was lost may still be at work,
	 * and keep its slot, when the job is claimed again.
	 */
	private final Map<Claim, Attempt> byClaim = new ConcurrentHashMap<>();

	private final AtomicInteger stuck = new AtomicInteger();

	private final AtomicBoolean comparisonDue = new AtomicBoolean();

	/**
	 * Starts with none.
	 * @param results takes what is to be committed
	 * @param events is told of what has ended
	 * @param nanoTime the monotonic clock
	 */
	public HeldAttempts(Consumer<AttemptResult> results, AttemptEvents events, LongSupplier nanoTime) {
		this.results = results;
		this.events = events;
		this.nanoTime = nanoTime;
	}

	public void add(Attempt attempt) {
		this.byClaim.put(attempt.claim(), attempt);
	}

	/**
	 * Hands a result over to be committed. Its attempt is held until then.
	 * @param result the result
	 */
	public void report(AttemptResult result) {
		result.attempt().handOver();
		this.results.accept(result);
	}

	/**
	 * Notes attempts whose ends are committed.
	 * @param ends how they have ended
	 */
	public void ended(List<AttemptEnd> ends) {
		ended(ends, 0);
	}

	/**
	 * The same.
	 * @param ends how they have ended
	 * @param replaced how many attempts have come in the place of these
	 */
	public void ended(List<AttemptEnd> ends, int replaced) {
		for (AttemptEnd end : ends) {
			// In this order: whoever waits until nothing is held knows that all is told.
			this.events.ended(end);
			forget(end.attempt());
		}
		this.events.allEnded(ends, replaced);
	}

	/**
	 * Releases the job of an attempt that has not started, if it has not. The attempt is
	 * held until that is committed; of a job that was not claimed nothing is written.
	 * @param attempt the attempt
	 */
	public void giveBack(Attempt attempt) {
		if (attempt.drop()) {
			if (attempt.job().isRowLock()) {
				ended(List.of(new AttemptEnd(attempt, null, Duration.ZERO)));
			}
			else {
				report(AttemptResult.release(attempt));
			}
		}
	}

	/**
	 * Releases the jobs of attempts that have not started.
	 * @param which which of them
	 */
	public void giveBackWaiting(Predicate<Attempt> which) {
		all().stream().filter(which).forEach(this::giveBack);
	}

	/**
	 * Takes the result from an attempt whose thread does not react to its interrupt. The
	 * slot stays lost until the handler returns.
	 * @param attempt the attempt
	 * @param result makes the result
	 */
	public void giveUp(Attempt attempt, Function<Attempt, AttemptResult> result) {
		if (attempt.abandon()) {
			if (attempt.chunk().stuckOnce()) {
				this.stuck.incrementAndGet();
			}
			report(resultOf(attempt, result));
			// Those of its chunk that wait for another call would never get one.
			attempt.all().attempts().forEach(this::releaseParked);
		}
	}

	/**
	 * Releases the job of an attempt that is between two calls of its chunk. Its attempt
	 * does not count.
	 * @return false if it is not
	 */
	public boolean releaseParked(Attempt attempt) {
		boolean dropped = attempt.dropParked();
		if (dropped) {
			report(AttemptResult.release(attempt).maybeDone());
		}
		return dropped;
	}

	/**
	 * Nobody asks again for the result of an attempt that was given up.
	 */
	private static AttemptResult resultOf(Attempt attempt, Function<Attempt, AttemptResult> result) {
		try {
			return result.apply(attempt);
		}
		catch (Throwable ex) {
			ResilientThread.note("giving up an attempt", ex);
			return AttemptResult.disorderly(attempt);
		}
	}

	/**
	 * Notes that the handler of an attempt that was given up has returned.
	 */
	public void returnedAtLast() {
		this.stuck.decrementAndGet();
		this.events.slotIsFree();
	}

	public int stuck() {
		return this.stuck.get();
	}

	public AtSlots atSlots() {
		return AtSlots.of(this.byClaim.values());
	}

	/**
	 * Lets go of an attempt whose claim is not this worker's any more, or may not be: it
	 * never starts, or is interrupted. Nothing is written.
	 * @param attempt the attempt
	 * @param why why it is interrupted, if it runs
	 * @return whether this call interrupted it
	 */
	public boolean letGo(Attempt attempt, InterruptReason why) {
		if (attempt.drop()) {
			forget(attempt);
			return false;
		}
		if (attempt.dropParked()) {
			ended(List.of(new AttemptEnd(attempt, Outcome.STALE, attempt.ran(this.nanoTime.getAsLong()))));
			return false;
		}
		return attempt.interrupt(why, this.nanoTime.getAsLong());
	}

	public void letGoAll() {
		all().forEach((attempt) -> letGo(attempt, InterruptReason.SESSION_LOST));
		requestComparison();
	}

	private void forget(Attempt attempt) {
		this.byClaim.remove(attempt.claim(), attempt);
	}

	/**
	 * Asks for a comparison with the table as soon as possible.
	 */
	public void requestComparison() {
		this.comparisonDue.set(true);
	}

	public boolean takeComparisonRequest() {
		return this.comparisonDue.getAndSet(false);
	}

	public boolean contains(Attempt attempt) {
		return this.byClaim.get(attempt.claim()) == attempt;
	}

	public boolean contains(Claim claim) {
		return this.byClaim.containsKey(claim);
	}

	public List<Attempt> of(long id) {
		return this.byClaim.values().stream().filter((attempt) -> attempt.claim().id() == id).toList();
	}

	public List<Attempt> all() {
		return List.copyOf(this.byClaim.values());
	}

	public Stream<Attempt> stream() {
		return this.byClaim.values().stream();
	}

	public int size() {
		return this.byClaim.size();
	}

	public int active() {
		return (int) this.byClaim.values().stream().filter(Attempt::isActive).count();
	}

	public Duration oldest() {
		long now = this.nanoTime.getAsLong();
		return this.byClaim.values()
			.stream()
			.map((attempt) -> attempt.ran(now))
			.max(Duration::compareTo)
			.orElse(Duration.ZERO);
	}

}
