package io.jobqueue.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.database.Database;
import io.jobqueue.database.SavepointTransactionManager;
import io.jobqueue.maintenance.FireSchedules;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.SteppedWorker;
import io.jobqueue.store.Claim;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node that does one thing after another on the thread of a test, in the transaction
 * that the test has open, if it has one.
 */
final class TestNode implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(TestNode.class);

	/** What the workers of tests are called. */
	static final String NAME = "jobqueue-test";

	/** Longer than whatever a worker leaves alone for some time. */
	private static final long JUMP = Duration.ofHours(1).toNanos();

	/** More is, most often, a job that enqueues itself. */
	private static final int MOST_RUNS = 2_000;

	private static final int FRUITLESS = 2;

	/** A run may stand at a breakpoint for long. */
	private static final WorkerSettings.Timing TIMING = new WorkerSettings.Timing(Duration.ofSeconds(1),
			Duration.ofSeconds(5), Duration.ofDays(1), Duration.ZERO);

	private final Database database;

	private final TestTime time;

	private final RunRecorder recorder = new RunRecorder();

	private final Faults.View faults;

	private final JobStore jobs;

	private final SteppedWorker worker;

	private final FireSchedules schedules;

	private final ScheduleStore ticks;

	private final Runnable declare;

	private final Served served;

	private final NextDue next;

	private final KeysOfDueJobs keys;

	/** Null outside of the test's transaction. */
	private final @Nullable StandardModes modes;

	private long jumped;

	/**
	 * Opens a node.
	 * @param parts what the application has
	 * @param setup what it declares
	 * @param time the test's clock
	 * @param faults what the test has asked for
	 * @param inside whether all takes place in the transaction of the test
	 */
	TestNode(TesterParts parts, TesterSetup setup, TestTime time, Faults faults, boolean inside) {
		this.time = time;
		this.database = parts.node().database();
		this.modes = inside ? new StandardModes(this.database) : null;
		long start = System.nanoTime();
		// It stands still as the queue's own does: what is due must not depend on how
		// long a run takes.
		LongSupplier clock = () -> start + this.jumped;
		QueueNode node = QueueNode.on(this.database, settings(parts.storeSettings()), clock);
		this.jobs = node.stores().jobs();
		this.faults = faults.around(this.jobs);
		QueueNode stepped = node.withJobs((jobs) -> this.faults.store());
		HandlerTransaction transaction = inside
				? stepped.handlerTransaction(new SavepointTransactionManager(this.database.dataSource()))
				: parts.transaction();
		this.worker = stepped.steppedWorker(parts.handlers(), transaction, settings(parts.settings()),
				this.recorder.beside(parts.extensions()));
		this.schedules = stepped.chores().fireSchedules();
		this.ticks = stepped.stores().schedules();
		this.declare = () -> setup.declare(stepped);
		this.served = parts.served();
		this.keys = new KeysOfDueJobs(this.database, this.served);
		this.next = new NextDue(this.database, this.served);
	}

	/**
	 * To find out how jobs are claimed takes connections of its own.
	 */
	private static StoreSettings settings(StoreSettings ofApplication) {
		return (ofApplication.claim() == ClaimStrategy.AUTO) ? ofApplication.withClaim(ClaimStrategy.SKIP_LOCKED)
				: ofApplication;
	}

	/**
	 * One slot, and nothing is held ahead of it.
	 */
	private static WorkerSettings settings(WorkerSettings ofApplication) {
		WorkerSettings.Slots slots = ofApplication.slots();
		return new WorkerSettings(NAME, ofApplication.queues(),
				new WorkerSettings.Slots(1, 0, false, slots.flushSize(), Duration.ZERO), TIMING);
	}

	void runDue() {
		this.keys.await();
		runWhatCanRun();
		int before = -1;
		while (this.recorder.count() > before && this.keys.lock()) {
			// Whoever had locked one may have ended meanwhile.
			before = this.recorder.count();
			runWhatCanRun();
		}
	}

	private void runWhatCanRun() {
		for (int fruitless = 0; fruitless < FRUITLESS;) {
			int before = this.recorder.count();
			fireSchedules();
			jump();
			if (this.worker.claim()) {
				run();
			}
			fruitless = (this.recorder.count() > before) ? 0 : fruitless + 1;
		}
	}

	/**
	 * What fires schedules goes on after whatever fails, which would be a test that sees
	 * no tick. What nobody has declared lately does not tick, so it is declared again,
	 * however far the clock was moved; only then, since that locks it.
	 */
	private void fireSchedules() {
		List<StoredSchedule> due = due();
		if (due.stream().anyMatch((schedule) -> schedule.flags().orphaned())) {
			this.declare.run();
		}
		jump();
		this.schedules.runOnce();
		List<String> left = due.isEmpty() ? List.of()
				: due().stream().filter((schedule) -> !schedule.flags().orphaned()).map(StoredSchedule::name).toList();
		if (!left.isEmpty()) {
			throw new IllegalStateException("The schedules " + left
					+ " are due and could not be fired; the log says why. "
					+ "Tests that run at the same time on one database, and let a schedule tick, lock it from each other: "
					+ "give them a @ResourceLock");
		}
	}

	private List<StoredSchedule> due() {
		return this.ticks.due(MOST_RUNS).schedules().stream().filter((schedule) -> !schedule.flags().paused()).toList();
	}

	private void run() {
		jump();
		try {
			this.worker.run();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while jobs ran", ex);
		}
		this.faults.settle();
		if (this.recorder.count() > MOST_RUNS) {
			throw new IllegalStateException("More than " + MOST_RUNS
					+ " runs in one call; perhaps a handler enqueues its own job again. The last was one of "
					+ this.recorder.runs(Set.of()).all().get(MOST_RUNS).type()
					+ ". If so many are right, call it again");
		}
	}

	/**
	 * The monotonic clock alone: what the worker would wait for in vain is over.
	 */
	private void jump() {
		this.jumped += JUMP;
	}

	void drain() {
		this.next.begin();
		runDue();
		for (Duration next = untilNext(); next != null; next = untilNext()) {
			this.time.advance(next.plusMillis(1));
			runDue();
		}
	}

	private @Nullable Duration untilNext() {
		return Stream.of(this.worker.untilNextStart(), this.next.until())
			.filter((next) -> next != null)
			.min(Duration::compareTo)
			.orElse(null);
	}

	JobRuns runs() {
		Set<String> withoutHandler = this.served.dueWithoutHandler(this.database);
		if (!withoutHandler.isEmpty()) {
			log.warn(
					"Jobs are due and did not run, since no bean of this test has a handler for {}. Slices need @Import",
					withoutHandler);
		}
		return this.recorder.runs(withoutHandler);
	}

	@Override
	public void close() {
		List<Claim> held = this.jobs.heldBy(this.worker.session(), true);
		this.worker.close();
		if (this.modes != null) {
			this.modes.undo();
		}
		if (!held.isEmpty()) {
			throw new IllegalStateException("Jobs were claimed and have not ended: " + held);
		}
	}

}
