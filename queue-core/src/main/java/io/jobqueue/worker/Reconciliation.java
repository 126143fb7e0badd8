package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.Attempt.Reason;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what the session holds in the table with what the node holds in memory, once
 * each heartbeat interval. A job that is only in the table, left by a claim whose commit
 * was lost, is given back. An attempt that is only in memory was cancelled or rescued,
 * and is interrupted. Runs on the poll loop's thread, so that no claim is under way
 * meanwhile.
 */
final class Reconciliation {

	private static final Logger log = LoggerFactory.getLogger(Reconciliation.class);

	private final JobStore store;

	private final Queues queues;

	private final Node node;

	private final Duration interval;

	private volatile boolean requested;

	private long lastNanos;

	Reconciliation(JobStore store, Queues queues, Node node, Duration interval) {
		this.store = store;
		this.queues = queues;
		this.node = node;
		this.interval = interval;
		this.lastNanos = node.nanoTime().getAsLong();
	}

	/**
	 * Asks for a comparison as soon as possible, even if the node holds nothing.
	 */
	void request() {
		this.requested = true;
	}

	void runIfDue() {
		long now = this.node.nanoTime().getAsLong();
		if (!this.requested && now - this.lastNanos < this.interval.toNanos()) {
			return;
		}
		// Cleared first: a request that comes while the database is read is for the next
		// time.
		this.requested = false;
		this.lastNanos = now;
		try {
			run();
		}
		catch (RuntimeException ex) {
			this.requested = true;
			throw ex;
		}
	}

	private void run() {
		giveBackPaused();
		if (!isSame(this.node.held().all(), this.store.heldBy(this.node.session().id(), false))) {
			// The plain read may have been of an old copy.
			List<Attempt> inMemory = this.node.held().all();
			compare(inMemory, this.store.heldBy(this.node.session().id(), true));
		}
	}

	private static boolean isSame(List<Attempt> inMemory, List<Claim> inTable) {
		return inMemory.size() == inTable.size()
				&& Set.copyOf(inTable).containsAll(inMemory.stream().map(Attempt::claim).toList());
	}

	private void compare(List<Attempt> inMemory, List<Claim> inTable) {
		Set<Claim> current = Set.copyOf(inTable);
		for (Attempt attempt : inMemory) {
			if (!current.contains(attempt.claim()) && this.node.held().contains(attempt)) {
				lost(attempt);
			}
		}
		// What was let go meanwhile is in the table and no longer in memory.
		List<Finish> orphans = new ArrayList<>();
		for (Claim claim : inTable) {
			Attempt attempt = this.node.held().find(claim.id());
			if (attempt == null || !attempt.claim().equals(claim)) {
				orphans.add(new Finish.Release(claim, Duration.ZERO));
			}
		}
		if (!orphans.isEmpty()) {
			Set<Claim> ended = this.store.finish(orphans);
			if (ended.size() < orphans.size()) {
				log.info("{} job(s) that were claimed and are not held here were given back",
						orphans.size() - ended.size());
			}
		}
	}

	private void lost(Attempt attempt) {
		if (attempt.drop()) {
			this.node.held().remove(attempt);
		}
		else if (attempt.interrupt(Reason.CANCELLED, this.node.nanoTime().getAsLong())) {
			log.info("{} job {} was cancelled or taken over; its attempt is interrupted", attempt.job().type(),
					attempt.claim().id());
		}
	}

	private void giveBackPaused() {
		List<Attempt> inMemory = this.node.held().all();
		if (inMemory.stream().noneMatch(Attempt::isWaiting)) {
			return;
		}
		Set<String> paused = this.queues.paused();
		if (paused.isEmpty()) {
			return;
		}
		List<Finish> givenBack = new ArrayList<>();
		for (Attempt attempt : inMemory) {
			if (paused.contains(attempt.job().queue()) && attempt.drop()) {
				this.node.held().remove(attempt);
				givenBack.add(new Finish.Release(attempt.claim(), Duration.ZERO));
			}
		}
		if (!givenBack.isEmpty()) {
			this.store.finish(givenBack);
		}
	}

}
