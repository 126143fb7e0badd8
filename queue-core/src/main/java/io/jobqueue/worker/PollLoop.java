package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.jobqueue.poison.Company;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.ReadyRange;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs for the slots of one worker. {@link #poll()} does one round and returns how
 * long to wait for the next.
 */
final class PollLoop {

	private static final Logger log = LoggerFactory.getLogger(PollLoop.class);

	private static final Duration FULL = Duration.ofSeconds(1);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(3);

	/**
	 * A rescue must not come before the worker has had its chance to end a timed-out
	 * attempt itself. Before that, the job may have waited for a slot; it is given back
	 * after the session timeout.
	 */
	private static final Duration DEADLINE_MARGIN = Duration.ofSeconds(30);

	private final JobStore store;

	private final WorkerSettings settings;

	private final Handlers handlers;

	private final Node node;

	private final Reconciliation reconciliation;

	private final OwnTypes types;

	private final OthersJobs others;

	private final Deadlines deadlines;

	private final ClaimPlan plan;

	private final KnownRanges ranges;

	private final RandomGenerator random;

	private final LongSupplier nanoTime;

	private volatile boolean stopped;

	private volatile long lastRoundNanos;

	private volatile boolean failing;

	/** Used by the loop's thread only, as the next. */
	private final PollDelay delay;

	private boolean hurry;

	private int failures;

	PollLoop(JobStore store, WorkerSettings settings, Handlers handlers, Node node, Reconciliation reconciliation) {
		this.store = store;
		this.settings = settings;
		this.handlers = handlers;
		this.node = node;
		this.reconciliation = reconciliation;
		this.types = new OwnTypes(store, handlers.retries());
		this.others = new OthersJobs(store, this.types, node.nanoTime());
		this.deadlines = handlers.deadlines(settings.timing().sessionTimeout().plus(DEADLINE_MARGIN));
		this.random = node.random();
		this.nanoTime = node.nanoTime();
		this.delay = new PollDelay(settings.timing().pollInterval(), node.random());
		this.plan = new ClaimPlan(node.nanoTime(), node.random(),
				new QuarantineTurn(store, () -> node.session().id(), node.nanoTime()));
		this.ranges = new KnownRanges(store, settings, this.types, node.session()::beats, node.nanoTime());
		this.lastRoundNanos = this.nanoTime.getAsLong();
	}

	/**
	 * Does one round and waits for the next.
	 * @return false if there will be no more
	 */
	boolean step() throws InterruptedException {
		if (!this.stopped) {
			sleep(round());
		}
		if (this.stopped) {
			attempt(() -> {
				this.plan.giveUpRunningEmpty();
				return Duration.ZERO;
			});
		}
		return !this.stopped;
	}

	/**
	 * Waits for the next round, but compares table and memory at each heartbeat interval
	 * meanwhile.
	 */
	private void sleep(Duration delay) throws InterruptedException {
		long until = this.nanoTime.getAsLong() + delay.toNanos();
		long slice = this.settings.timing().heartbeatInterval().toNanos();
		while (!this.stopped) {
			this.lastRoundNanos = this.nanoTime.getAsLong();
			long left = until - this.lastRoundNanos;
			if (this.node.wakeUp().await(Duration.ofNanos(Math.min(left, slice)))) {
				this.delay.reset();
				return;
			}
			if (left <= slice) {
				return;
			}
			attempt(() -> {
				reconcile();
				return Duration.ZERO;
			});
		}
	}

	void stop() {
		this.stopped = true;
		this.node.wakeUp().signal();
	}

	/**
	 * How long ago the last round ended.
	 */
	Duration sinceLastRound() {
		return Duration.ofNanos(this.nanoTime.getAsLong() - this.lastRoundNanos);
	}

	boolean isFailing() {
		return this.failing;
	}

	private Duration round() {
		return attempt(this::poll);
	}

	private Duration attempt(Supplier<Duration> work) {
		try {
			Duration delay = work.get();
			if (this.failing) {
				this.failing = false;
				this.failures = 0;
				log.info("Polling works again");
			}
			return delay;
		}
		catch (Throwable ex) {
			// Whatever it is, a loop that ends would leave the worker alive and idle.
			// A claim whose commit was lost may have left jobs that nobody runs.
			this.reconciliation.request();
			if (!this.failing) {
				this.failing = true;
				log.warn("Polling failed; the worker pauses and tries again: {}", ex.toString());
			}
			log.debug("Polling failed", ex);
			this.failures++;
			long most = Math.min(MAX_PAUSE.toMillis(), 50L << Math.min(this.failures, 10));
			return Duration.ofMillis(most / 2 + this.random.nextLong(most / 2 + 1));
		}
	}

	Duration poll() {
		WorkerSession session = this.node.session();
		if (!session.isCurrent()) {
			return PollDelay.SHORTEST.multipliedBy(5);
		}
		reconcile();
		int stuck = this.node.stuck().get();
		int target = this.node.room().target(stuck);
		// In this order: the finisher lowers the second before it lowers the first.
		int held = this.node.held().size();
		int aside = Math.min(held, this.node.room().aside());
		int room = target - (held - aside);
		// Again: an attempt that was given up meanwhile is not held, but at work.
		int lingering = this.node.stuck().get() + aside;
		if (room <= 0 || (room < target / 4 && this.node.slots().waiting() > 0)) {
			this.plan.noteNoRoom(lingering);
			return FULL;
		}
		List<ReadyRange> ranges = this.ranges.current(this.hurry);
		this.hurry = false;
		Company company = new Company(held - aside, this.node.held().companyLimit(this.settings.slots().concurrency()),
				this.settings.slots().concurrency());
		Duration delay = claim(ranges, company, lingering, room);
		return this.others.sortOut(ranges) ? Duration.ZERO : delay;
	}

	private Duration claim(List<ReadyRange> ranges, Company company, int lingering, int room) {
		ClaimPlan.Choice choice = this.plan.choose(ranges, company, lingering,
				this.node.held().oldest(this.nanoTime.getAsLong()));
		if (choice.ranges().isEmpty()) {
			return ranges.stream().anyMatch(ReadyRange::isDue) ? FULL : this.delay.nothingDue(ranges);
		}
		int most = Math.min(room, choice.most());
		int claimed = claim(choice, company, most);
		if (claimed == 0) {
			return this.delay.nothingDue(ranges);
		}
		this.delay.reset();
		this.hurry = claimed >= most(most);
		return (claimed >= most) ? Duration.ZERO : PollDelay.SHORTEST;
	}

	private void reconcile() {
		if (this.node.session().isCurrent()) {
			this.reconciliation.runIfDue();
		}
	}

	private int claim(ClaimPlan.Choice choice, Company company, int limit) {
		if (this.types.names().isEmpty()) {
			return 0;
		}
		long now = this.nanoTime.getAsLong();
		int most = most(limit);
		List<ClaimedJob> jobs = this.store.claim(new ClaimRequest(this.node.session().id(), choice.ranges(), most,
				this.types.names(), this.deadlines, company));
		this.plan.note(choice, jobs, jobs.size() < most, this.nanoTime.getAsLong() - now);
		List<Finish> notRun = new ArrayList<>();
		for (ClaimedJob job : jobs) {
			Handler handler = this.handlers.find(job.type());
			if (this.stopped) {
				notRun.add(new Finish.Release(job.claim(), Duration.ZERO));
			}
			else if (handler != null) {
				Attempt attempt = new Attempt(job, handler, now);
				this.node.held().add(attempt);
				this.node.slots().add(attempt);
			}
			else {
				// The database takes two names for the same that differ in blanks at the
				// end.
				notRun.add(new Finish.DeadLetter(job.claim(), Failure.of(job.attempt(), "type",
						"The type ends with blanks, which no type of a handler does")));
			}
		}
		if (!notRun.isEmpty()) {
			this.store.finish(notRun);
		}
		return jobs.size();
	}

	private int most(int limit) {
		return Math.min(limit, this.settings.slots().flushSize());
	}

}
