package io.jobqueue.test;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.database.CallersConnection;
import io.jobqueue.database.Database;
import io.jobqueue.database.DatabaseForTests;
import io.jobqueue.database.SavepointTransactionManager;
import io.jobqueue.maintenance.FireSchedules;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.SteppedWorker;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;
import org.jspecify.annotations.Nullable;

/**
 * A node that does one thing after another on the thread of a test, in the transaction
 * that the test has open, if it has one.
 */
final class TestNode implements AutoCloseable {

	/** Longer than whatever a worker leaves alone for some time. */
	private static final long JUMP = Duration.ofHours(1).toNanos();

	/** More is, most often, a job that enqueues itself. */
	private static final int MOST_RUNS = 2_000;

	private static final int FRUITLESS = 2;

	private final Database database;

	private final TestTime time;

	private final RunRecorder recorder = new RunRecorder();

	private final Faults.View faults;

	private final SteppedWorker worker;

	private final FireSchedules schedules;

	private final Runnable declare;

	private final List<String> types;

	private long jumped;

	/**
	 * Opens a node.
	 * @param parts what the application has
	 * @param setup what it declares
	 * @param time the test's clock
	 * @param faults what the test has asked for
	 */
	TestNode(TesterParts parts, TesterSetup setup, TestTime time, Faults faults) {
		this.time = time;
		boolean inside = isInside(parts);
		this.database = databaseOf(parts);
		long start = System.nanoTime();
		// It stands still as the queue's own does: what is due must not depend on how
		// long a run takes.
		LongSupplier clock = () -> start + this.jumped + time.aheadMicros() * 1_000;
		QueueNode node = QueueNode.on(this.database, settings(parts.storeSettings()), clock);
		this.faults = faults.around(node.stores().jobs());
		QueueNode stepped = node.withJobs((jobs) -> this.faults.store());
		HandlerTransaction transaction = inside
				? stepped.handlerTransaction(new SavepointTransactionManager(this.database.dataSource()))
				: parts.transaction();
		this.types = parts.handlers().types();
		this.worker = stepped.steppedWorker(parts.handlers(), transaction, settings(parts.settings()),
				this.recorder.beside(parts.extensions()));
		this.schedules = stepped.chores().fireSchedules();
		this.declare = () -> setup.declare(stepped);
	}

	/**
	 * Stores the schedules that the code declares, in the test's transaction if it has
	 * one.
	 */
	static void declareOn(TesterParts parts, TesterSetup setup) {
		setup.declare(QueueNode.on(databaseOf(parts), settings(parts.storeSettings())));
	}

	private static boolean isInside(TesterParts parts) {
		return parts.node().database().callers().phase() == CallersConnection.Phase.OPEN;
	}

	private static Database databaseOf(TesterParts parts) {
		Database database = parts.node().database();
		return isInside(parts) ? DatabaseForTests.inside(database) : database;
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
		return new WorkerSettings("test", ofApplication.queues(),
				new WorkerSettings.Slots(1, 0, false, slots.flushSize(), Duration.ZERO), ofApplication.timing());
	}

	void runDue() {
		// However far the clock was moved: what nobody has declared lately does not tick.
		this.declare.run();
		for (int fruitless = 0; fruitless < FRUITLESS;) {
			jump();
			this.schedules.runOnce();
			jump();
			if (this.worker.claim()) {
				fruitless = 0;
				run();
			}
			else {
				fruitless++;
			}
		}
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
					+ " runs in one call; perhaps a handler enqueues its " + "own job again. The last was one of "
					+ this.recorder.runs().all().get(MOST_RUNS).type() + ". If so many are right, call it again");
		}
	}

	/**
	 * The monotonic clock alone: what the worker would wait for in vain is over.
	 */
	private void jump() {
		this.jumped += JUMP;
	}

	void drain() {
		runDue();
		for (Duration next = untilNext(); next != null; next = untilNext()) {
			this.time.advance(next.plusMillis(1));
			runDue();
		}
	}

	/**
	 * How long until the next job of this application is due. Ticks of schedules are
	 * none: there is no end to them.
	 */
	private @Nullable Duration untilNext() {
		return Stream.of(this.worker.untilNext(), NextDue.of(this.database, this.types))
			.filter((next) -> next != null)
			.min(Duration::compareTo)
			.orElse(null);
	}

	JobRuns runs() {
		return this.recorder.runs();
	}

	@Override
	public void close() {
		this.worker.close();
	}

}
