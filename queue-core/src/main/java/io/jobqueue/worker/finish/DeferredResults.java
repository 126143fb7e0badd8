package io.jobqueue.worker.finish;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.jobqueue.store.Claim;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Results that could not be committed though the database is there: it does not take
 * them, or somebody keeps the job's row locked. They wait here so that others get past
 * them, and are tried again after half a second, then ever later. The job stays claimed
 * meanwhile, also past its deadline: to run it again would not help.
 */
public final class DeferredResults {

	private static final Logger log = LoggerFactory.getLogger(DeferredResults.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

	private final Consumer<List<Claim>> dropDeadlines;

	private final AttemptEvents events;

	private final LongSupplier nanoTime;

	/** Changed by the finisher's thread only. */
	private final List<AttemptResult> results = new CopyOnWriteArrayList<>();

	/** How many are being tried again now; changed by the finisher's thread only. */
	private volatile int tried;

	/** Of those that were tried again last; changed by the finisher's thread only. */
	private volatile int refusedAgain;

	/** Whose rows were locked again, for the finisher's thread only. */
	private final Set<Claim> told = new HashSet<>();

	/** This and the next for the finisher's thread only. */
	private Duration pause = FIRST_PAUSE;

	/** For the finisher's thread only. */
	private long failed;

	private long since;

	/**
	 * Creates it, empty.
	 * @param dropDeadlines lets nobody take jobs from this worker for their deadline
	 * @param events is told how many there are
	 * @param nanoTime the monotonic clock
	 */
	public DeferredResults(Consumer<List<Claim>> dropDeadlines, AttemptEvents events, LongSupplier nanoTime) {
		this.dropDeadlines = dropDeadlines;
		this.events = events;
		this.nanoTime = nanoTime;
	}

	/**
	 * Defers a result whose job's row somebody has locked. Claims of other workers that
	 * come too late may do so for a moment, which is nothing to tell of.
	 * @param result the result
	 */
	void addLocked(AttemptResult result) {
		boolean isNews = this.tried > 0 && this.told.add(result.attempt().claim());
		log.atLevel(isNews ? Level.WARN : Level.DEBUG)
			.log("The result of {} job {} cannot be committed: its row is locked by another transaction. It is tried "
					+ "again from time to time", result.attempt().job().type(), result.attempt().claim().id());
		addAll(List.of(result));
	}

	/**
	 * Defers a result.
	 * @param result the result
	 * @param cause what the database said
	 */
	void add(AttemptResult result, Throwable cause) {
		if (SqlFailure.isConflict(cause)) {
			// A stack trace for each of those that wait for one lock tells nothing more.
			log(result, "another transaction has locked where it is to be written", null);
		}
		else {
			log(result, "the database refuses it", cause);
		}
		this.failed++;
		addAll(List.of(result));
	}

	private void log(AttemptResult result, String why, @Nullable Throwable cause) {
		if (this.tried == 0) {
			log.warn("The result of {} job {} cannot be committed: {}. It is tried again from time to time",
					result.attempt().job().type(), result.attempt().claim().id(), why, cause);
		}
	}

	/**
	 * Defers results that were not tried, since others like them had to wait for a lock.
	 * @param untried the results
	 */
	void addUntried(List<AttemptResult> untried) {
		if (this.tried == 0) {
			log.debug("{} more results wait, as others like them do", untried.size());
		}
		this.failed += untried.size();
		addAll(untried);
	}

	private void addAll(List<AttemptResult> added) {
		if (this.results.isEmpty()) {
			this.since = this.nanoTime.getAsLong();
		}
		this.results.addAll(added);
		publish();
		added.forEach((result) -> this.events.slotIsFree());
	}

	/**
	 * How often a result was deferred because it cannot be committed, or others like it
	 * cannot; not for the lock of its job's row, which tells nothing about others.
	 */
	long failed() {
		return this.failed;
	}

	/**
	 * Whether the results that wait are being tried again.
	 */
	boolean isTrying() {
		return this.tried > 0;
	}

	/**
	 * Lets others know how many there are.
	 */
	void publish() {
		this.events.deferred(this.results.size());
	}

	/**
	 * Tries everything again if it is time to.
	 * @param write commits results, or defers them again
	 */
	void tryAgain(Writer write) throws InterruptedException {
		List<AttemptResult> due = whatIsDue();
		if (!due.isEmpty()) {
			// Should this try fail, some of them may be committed; those turn out not to
			// be current. Made before it, since memory may be what is missing then.
			List<AttemptResult> again = due.stream().map(AttemptResult::maybeDone).toList();
			this.tried = due.size();
			this.results.clear();
			try {
				keep(due);
				write.write(due);
			}
			catch (Throwable ex) {
				this.results.addAll(again);
				throw ex;
			}
			finally {
				if (this.results.size() < this.tried) {
					this.pause = FIRST_PAUSE;
				}
				this.tried = 0;
				this.refusedAgain = this.results.size();
				this.told.retainAll(this.results.stream().map((result) -> result.attempt().claim()).toList());
				// What they waited for locks does not count.
				this.since = this.nanoTime.getAsLong();
			}
		}
	}

	/**
	 * Rescue would run the jobs once more, or take them for dead. The first try comes
	 * before any deadline (see {@code Claimer}), unless rows are locked one by one.
	 */
	private void keep(List<AttemptResult> due) {
		try {
			this.dropDeadlines.accept(due.stream().map((result) -> result.attempt().claim()).toList());
		}
		catch (RuntimeException ex) {
			log.warn("The deadlines of {} jobs whose results wait could not be dropped: {}", due.size(), ex.toString());
		}
	}

	private List<AttemptResult> whatIsDue() {
		if (this.results.isEmpty()) {
			this.pause = FIRST_PAUSE;
			return List.of();
		}
		if (this.nanoTime.getAsLong() - this.since < this.pause.toNanos()) {
			return List.of();
		}
		Duration doubled = this.pause.multipliedBy(2);
		this.pause = (doubled.compareTo(MAX_PAUSE) < 0) ? doubled : MAX_PAUSE;
		return List.copyOf(this.results);
	}

	/**
	 * How many results wait, those included that are being tried again.
	 */
	int size() {
		return Math.max(this.results.size(), this.tried);
	}

	/**
	 * How many of them could not be committed when they were tried again. A row may be
	 * locked for a moment, so what has failed once only is no trouble yet.
	 */
	int refusedAgain() {
		return this.refusedAgain;
	}

	/**
	 * Commits results.
	 */
	@FunctionalInterface
	interface Writer {

		void write(List<AttemptResult> results) throws InterruptedException;

	}

}
