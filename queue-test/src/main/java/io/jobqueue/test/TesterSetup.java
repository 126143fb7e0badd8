package io.jobqueue.test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

import io.jobqueue.PayloadFormat;
import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.node.QueueNode;
import io.jobqueue.spring.handler.DeclaredSchedules;
import io.jobqueue.spring.worker.WorkerLifecycle;
import io.jobqueue.worker.Handlers;

/**
 * What comes before and after the tests of a context, and the worker that a test may
 * start.
 */
final class TesterSetup {

	private final DeclareLimits limits;

	private final DeclaredSchedules schedules;

	private final long revision;

	private final PayloadFormat format;

	private final WorkerLifecycle worker;

	/** Whether this has started it, and not the context. */
	private final AtomicBoolean started = new AtomicBoolean();

	private final AtomicBoolean prepared = new AtomicBoolean();

	TesterSetup(DeclareLimits limits, DeclaredSchedules schedules, long revision, PayloadFormat format,
			WorkerLifecycle worker) {
		this.limits = limits;
		this.schedules = schedules;
		this.revision = revision;
		this.format = format;
		this.worker = worker;
	}

	PayloadFormat format() {
		return this.format;
	}

	/**
	 * How a payload of a type is written.
	 */
	BiFunction<String, Object, String> payloads(Handlers handlers) {
		return (type, payload) -> {
			var known = handlers.payloadType(type);
			return (known != null) ? this.format.write(payload, known) : this.format.write(payload);
		};
	}

	/**
	 * Says once, and commits, what holds for all tests: else those that run at the same
	 * time would wait for each other.
	 */
	void prepare(TesterParts parts) {
		if (this.prepared.compareAndSet(false, true)) {
			this.limits.runOnce();
			parts.node().stores().jobs().registerTypes(parts.handlers().rules());
		}
	}

	/**
	 * Stores the schedules that the code declares. Their first ticks follow the present
	 * time.
	 */
	void declare(QueueNode node) {
		node.chores().declareSchedules(this.schedules::all, this.revision).runOnce();
	}

	void startWorker() {
		if (!this.worker.isRunning()) {
			this.started.set(true);
			this.worker.start();
		}
	}

	void stopWorker() {
		if (this.started.compareAndSet(true, false)) {
			this.worker.stop();
		}
	}

	boolean isWorkerRunning() {
		return this.worker.isRunning();
	}

}
