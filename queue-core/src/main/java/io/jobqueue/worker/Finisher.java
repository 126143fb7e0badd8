package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.SqlFailure;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits results, many at once. A result counts as done, and its slot's work is told of,
 * only after that commit. When it cannot keep up, the worker claims no more jobs, since
 * it holds those whose results wait.
 */
final class Finisher {

	private static final Logger log = LoggerFactory.getLogger(Finisher.class);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(2);

	private final JobStore store;

	private final Node node;

	private final WorkerSettings.Slots settings;

	private final WorkerListener listener;

	private final BlockingQueue<Report> reports = new LinkedBlockingQueue<>();

	/**
	 * What was taken from the queue and is not dealt with. As large as it can get from
	 * the start; used by the finisher's thread only, as the next.
	 */
	private final List<Report> batch;

	private final PutAside putAside;

	private boolean tryingAgain;

	private volatile boolean stopping;

	private volatile boolean givingUp;

	/** Used by the finisher's thread only. */
	private int failures;

	Finisher(JobStore store, Node node, WorkerSettings.Slots settings, WorkerListener listener) {
		this.store = store;
		this.node = node;
		this.settings = settings;
		this.listener = listener;
		this.batch = new ArrayList<>(settings.flushSize());
		this.putAside = new PutAside(node.nanoTime());
	}

	/**
	 * Hands a result over. There are never more of them than jobs that the worker holds.
	 * @param report the result
	 */
	void add(Report report) {
		this.reports.add(report);
	}

	/**
	 * Lets the thread end once nothing is left to commit.
	 */
	void stop() {
		this.stopping = true;
	}

	/**
	 * Lets the thread end even if it cannot commit; what is left is rescued by others.
	 */
	void giveUp() {
		this.givingUp = true;
	}

	/**
	 * Commits the results that have come in.
	 * @return false if there will be no more
	 */
	boolean step() throws InterruptedException {
		if (!this.batch.isEmpty()) {
			// An earlier step failed in the middle. What it had committed is no longer
			// current.
			flush(this.batch.stream().map(Report::maybeDone).toList(), false);
			this.batch.clear();
		}
		tryAgain();
		collect();
		boolean last = this.batch.isEmpty() && this.stopping;
		if (!this.batch.isEmpty()) {
			flush(List.copyOf(this.batch), true);
			this.batch.clear();
		}
		return !last && !this.givingUp;
	}

	private void collect() throws InterruptedException {
		Report first = this.reports.poll(50, TimeUnit.MILLISECONDS);
		if (first == null) {
			return;
		}
		this.batch.add(first);
		long until = this.node.nanoTime().getAsLong() + this.settings.flushDelay().toNanos();
		while (this.batch.size() < this.settings.flushSize()) {
			this.reports.drainTo(this.batch, this.settings.flushSize() - this.batch.size());
			long left = until - this.node.nanoTime().getAsLong();
			if (left <= 0 || this.node.held().size() <= this.batch.size()) {
				break;
			}
			Report next = this.reports.poll(left, TimeUnit.NANOSECONDS);
			if (next != null) {
				this.batch.add(next);
			}
		}
	}

	private void flush(List<Report> batch, boolean countStale) throws InterruptedException {
		boolean certain = countStale;
		List<Report> left = batch;
		while (!this.givingUp) {
			Set<Claim> notWritten;
			Set<Claim> locked;
			boolean known = certain;
			try {
				notWritten = this.store.finish(left.stream().map(Report::finish).toList());
				// Should the next read fail, the others are committed all the same, and
				// no longer current when this is tried again.
				certain = false;
				locked = notWritten.isEmpty() ? Set.of() : stillHeld(notWritten);
				certain = known;
			}
			catch (RuntimeException | Error ex) {
				if (!isOutage(ex)) {
					findRefused(left, certain, ex);
					return;
				}
				// A lost commit may be what has ended a claim that is not current.
				certain &= !(ex instanceof UnknownOutcomeException);
				left = afterOutage(left);
				pause(left, ex);
				continue;
			}
			this.failures = 0;
			left.stream()
				.filter((report) -> locked.contains(report.attempt().claim()))
				.forEach((report) -> putAside(known ? report : report.maybeDone(),
						"its row is locked by another transaction", null));
			committed(left.stream().filter((report) -> !locked.contains(report.attempt().claim())).toList(), notWritten,
					certain);
			return;
		}
	}

	/**
	 * What becomes of attempts that failed because some database was lost, now that the
	 * queue's seems to be lost too. It counts as an outage only if the heartbeat, which
	 * has a connection of its own, bears witness: an exhausted pool is none.
	 */
	private List<Report> afterOutage(List<Report> left) {
		if (left.stream().noneMatch((report) -> report.attempt().failedByOutage())) {
			return left;
		}
		boolean lostNow = this.node.session().beat() != WorkerSession.Beat.GOOD;
		return left.stream()
			.map((report) -> (lostNow || this.node.session().wasLostSince(report.attempt().startedNanos()))
					? report.afterOutage() : report.afterDisturbance())
			.toList();
	}

	/**
	 * Which claims are current all the same: what somebody has locked is passed over, so
	 * that one such job, as in an operator's open transaction, does not hold up the
	 * results of all.
	 */
	private Set<Claim> stillHeld(Set<Claim> notWritten) {
		Set<Claim> held = new HashSet<>(this.store.heldBy(this.node.session().id(), true));
		held.retainAll(notWritten);
		return held;
	}

	/**
	 * Finds out which of the results the database does not take, and whether it is for
	 * the text of an error. There is no pause: what does not help at once is tried again
	 * later.
	 */
	private void findRefused(List<Report> batch, boolean countStale, Throwable cause) throws InterruptedException {
		Report first = batch.get(0);
		if (batch.size() > 1) {
			log.debug("A batch of {} results was refused, trying one by one", batch.size(), cause);
			for (Report report : batch) {
				flush(List.of(report), countStale);
			}
		}
		else if (SqlFailure.isAboutData(cause) && !first.withoutDetails().equals(first)) {
			flush(List.of(first.withoutDetails()), countStale);
		}
		else {
			putAside(countStale ? first : first.maybeDone(), "the database refuses it", cause);
		}
	}

	private void putAside(Report report, String why, @Nullable Throwable cause) {
		if (!this.tryingAgain) {
			log.warn("The result of {} job {} cannot be committed: {}. It is tried again from time to time",
					report.attempt().job().type(), report.attempt().claim().id(), why, cause);
		}
		this.putAside.add(report);
		this.node.room().aside(this.putAside.size());
		this.node.wakeUp().signal();
	}

	private void tryAgain() throws InterruptedException {
		List<Report> again = this.putAside.takeDue();
		if (!again.isEmpty()) {
			this.tryingAgain = true;
			try {
				flush(again, true);
			}
			finally {
				this.tryingAgain = false;
			}
		}
	}

	/**
	 * How many results could not be committed though the database is there.
	 */
	int waiting() {
		return this.putAside.size();
	}

	private static boolean isOutage(Throwable failure) {
		return failure instanceof UnknownOutcomeException || SqlFailure.isOutage(failure);
	}

	private void pause(List<Report> left, Throwable cause) throws InterruptedException {
		if (this.failures++ == 0) {
			log.warn("{} result(s) could not be committed, the first that of {}; trying until they are: {}",
					left.size(), left.get(0).attempt().job().type() + " job " + left.get(0).attempt().claim().id(),
					cause.toString());
		}
		TimeUnit.MILLISECONDS.sleep(Math.min(MAX_PAUSE.toMillis(), 50L << Math.min(this.failures, 6)));
	}

	private void committed(List<Report> reports, Set<Claim> stale, boolean countStale) {
		// Before the jobs are let go: in between, the poll loop should see too little
		// room rather than too much.
		this.node.room().aside(this.putAside.size());
		for (Report report : reports) {
			Attempt attempt = report.attempt();
			this.node.held().remove(attempt);
			boolean discarded = stale.contains(attempt.claim());
			if (discarded && countStale && !report.mayBeDone()) {
				log.warn("Result of {} job {} (attempt {}) discarded: its claim was no longer current",
						attempt.job().type(), attempt.claim().id(), attempt.job().attempt());
				this.listener.finished(attempt.job(), Outcome.STALE, report.ran());
			}
			else if (!discarded && attempt.hasStarted()) {
				this.listener.finished(attempt.job(), report.outcome(), report.ran());
			}
		}
		// What is given back says nothing about how quick jobs are.
		this.node.room()
			.finished((int) reports.stream().filter((report) -> report.outcome() != Outcome.RELEASED).count());
		this.node.wakeUp().signal();
	}

}
