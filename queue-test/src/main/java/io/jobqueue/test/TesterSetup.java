package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiFunction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jobqueue.PayloadFormat;
import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.node.QueueNode;
import io.jobqueue.spring.handler.DeclaredSchedules;
import io.jobqueue.spring.handler.HandlerLists;
import io.jobqueue.spring.worker.WorkerLifecycle;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.worker.Handlers;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NamedInheritableThreadLocal;

/**
 * What comes before and after the tests of a context, and the worker that a test may
 * start.
 */
final class TesterSetup {

	/** What holds for longer than ten minutes is taken for a clock that has gone back. */
	private static final Duration LIVE = Duration.ofMinutes(9);

	private final DeclareLimits limits;

	private final DeclaredSchedules schedules;

	private final long revision;

	private final HandlerLists lists;

	private final PayloadFormat format;

	private final WorkerLifecycle worker;

	/**
	 * The test that a thread belongs to. Threads that it starts belong to it too, such as
	 * that on which a test with a timeout runs.
	 */
	private final ThreadLocal<Object> test = new NamedInheritableThreadLocal<>("test");

	/** The test that has started it; null if none has. */
	@GuardedBy("this")
	private @Nullable Object startedBy;

	@GuardedBy("this")
	private boolean prepared;

	TesterSetup(DeclareLimits limits, DeclaredSchedules schedules, long revision, HandlerLists lists,
			PayloadFormat format, WorkerLifecycle worker) {
		this.lists = lists;
		this.limits = limits;
		this.schedules = schedules;
		this.revision = revision;
		this.format = format;
		this.worker = worker;
	}

	PayloadRecords records(Path folder, Handlers handlers) {
		try {
			return new PayloadRecords(folder, handlers, this.lists.types(), this.format);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * How a payload of a type is written.
	 */
	BiFunction<String, Object, String> payloads(Handlers handlers) {
		PayloadTypes types = handlers::payloadType;
		return (type, payload) -> types.write(this.format, type, payload);
	}

	/**
	 * Stores once, and commits, the limits, types and schedules of the application, for
	 * all tests: else those that run at the same time would wait for each other.
	 */
	synchronized void prepare(TesterParts parts) {
		if (!this.prepared) {
			store(parts);
			this.prepared = true;
		}
	}

	/**
	 * Stores them, in the transaction of the caller if there is one.
	 */
	void store(TesterParts parts) {
		this.limits.runOnce();
		parts.node().stores().jobs().registerTypes(parts.handlers().rules());
		declare(parts.node());
	}

	/**
	 * Stores the schedules that the code declares. Their first ticks follow the present
	 * time.
	 */
	void declare(QueueNode node) {
		if (!this.schedules.all().isEmpty()) {
			node.stores().schedules().declare(this.schedules.all(), this.revision, LIVE);
		}
	}

	void begin() {
		this.test.set(new Object());
	}

	void end() {
		this.test.remove();
	}

	private Object current() {
		Object current = this.test.get();
		return (current != null) ? current : Thread.currentThread();
	}

	synchronized void startWorker() {
		if (!this.worker.isRunning()) {
			this.startedBy = current();
			this.worker.start();
		}
	}

	/**
	 * Stops the worker, if this test has started it.
	 * @return whether it has
	 */
	synchronized boolean stopWorker() {
		boolean own = this.startedBy == current();
		if (own) {
			this.startedBy = null;
			this.worker.stop();
		}
		return own;
	}

	/**
	 * Whether no test has started the worker: it does not run, or is the application's.
	 */
	synchronized boolean isWorkerOfNoTest() {
		return this.startedBy == null;
	}

	/**
	 * Whether a worker runs that follows the clock of this test: its own, or the
	 * application's.
	 */
	synchronized boolean isWorkerFollowing() {
		return this.worker.isRunning() && (this.startedBy == null || this.startedBy == current());
	}

	boolean isWorkerStartedWithContext() {
		return this.worker.isAutoStartup();
	}

	boolean isWorkerRunning() {
		return this.worker.isRunning();
	}

}
