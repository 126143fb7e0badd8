package io.jobqueue.node;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.text.Durations;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerHealth;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.run.HandlerTransaction;
import io.jobqueue.worker.thread.ResilientThread;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts and threads of a worker from one start to the next stop.
 */
final class RunningWorker {

	private static final Logger log = LoggerFactory.getLogger(RunningWorker.class);

	private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

	private static final Duration LAST_WORDS = Duration.ofSeconds(2);

	private final WorkerSettings settings;

	private final WorkerParts parts;

	private final HealthCheck health;

	private final LateAttempts lateAttempts;

	private final WorkerThreads threads = new WorkerThreads();

	private volatile boolean running;

	/**
	 * Puts the parts together; nothing is started yet.
	 * @param stores where jobs, sessions and queues are
	 * @param handlers what runs the jobs
	 * @param transaction the unit of transactional handlers
	 * @param settings how the worker works
	 * @param extensions what the application has it do beside its work
	 * @param clock the monotonic clock
	 */
	RunningWorker(Stores stores, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions, LongSupplier clock) {
		this.settings = settings;
		this.parts = new WorkerParts(stores, handlers, transaction, settings, extensions, clock);
		this.health = new HealthCheck(this.parts, settings);
		this.lateAttempts = new LateAttempts(this.parts.held, this.parts.watchdog, settings.timing().shutdownGrace(),
				clock);
	}

	void start() {
		this.running = true;
		ResilientThread.guarded("Heartbeat", this.parts.session::beat);
		this.parts.slots.start(this.parts.runner, this.parts.load::noneWaits);
		this.threads.start(WorkerThreads.FINISHER, this.parts.finisher::step);
		this.threads.start(WorkerThreads.POLL_LOOP, this.parts.pollLoop::step);
		this.threads.start(WorkerThreads.KEY_LOOP, this.parts.keyLoop::step);
		Duration interval = this.settings.timing().heartbeatInterval();
		this.threads.startHeartbeats(() -> this.parts.session.beatInTime(interval), interval);
		this.threads.startWatchdog(this::watch, WATCH_INTERVAL);
	}

	private void watch() {
		this.parts.watchdog.run();
		this.parts.failures.endPeriods();
	}

	/**
	 * Stops claiming, lets attempts end, gives back the rest, and ends the session.
	 * Heartbeats go on until nothing is held.
	 */
	void stop() {
		this.running = false;
		this.parts.claimer.stop();
		this.parts.ahead.stop();
		this.parts.pollLoop.stop();
		WorkerThreads.awaitQuietly(LAST_WORDS, () -> !this.threads.isAlive(WorkerThreads.POLL_LOOP));
		this.parts.held.giveBackWaiting((attempt) -> true);
		log.info("Running attempts: {}; they have up to {} to end", this.parts.held.active(),
				Durations.text(this.settings.timing().shutdownGrace()));
		WorkerThreads.awaitQuietly(this.settings.timing().shutdownGrace(), () -> this.parts.held.size() == 0);
		this.lateAttempts.interrupt();
		WorkerThreads.awaitQuietly(LAST_WORDS, () -> this.parts.held.active() == 0);
		this.lateAttempts.giveUp();
		WorkerThreads.awaitQuietly(LAST_WORDS, () -> this.parts.held.size() == 0);
		this.parts.finisher.stop();
		this.parts.keyLoop.stop();
		WorkerThreads.awaitQuietly(LAST_WORDS,
				() -> !this.threads.isAlive(WorkerThreads.FINISHER) && !this.threads.isAlive(WorkerThreads.KEY_LOOP));
		this.parts.writer.giveUp();
		this.parts.slots.stop();
		this.threads.stopTimers();
		this.parts.session.close();
		this.parts.failures.close();
	}

	void enqueued(List<EnqueuedJob> jobs) {
		this.parts.newRanges.enqueued(jobs);
		this.parts.wakeUp.signal();
	}

	void wakeUp() {
		this.parts.wakeUp.signal();
	}

	void cancelled(long id) {
		this.parts.held.of(id).forEach((attempt) -> this.parts.held.letGo(attempt, InterruptReason.CANCELLED));
	}

	void paused(String queue) {
		this.parts.held.giveBackWaiting((attempt) -> attempt.job().queue().equals(queue));
	}

	WorkerHealth health() {
		return this.health.now(this.running, this.threads::isAlive);
	}

}
