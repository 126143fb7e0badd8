package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.worker.Attempt.Reason;
import io.jobqueue.worker.WorkerSettings.Timing;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The parts and threads of a worker from one start to the next stop.
 */
final class RunningWorker {

	private static final Logger log = LoggerFactory.getLogger(RunningWorker.class);

	private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

	private static final Duration LAST_WORDS = Duration.ofSeconds(2);

	private static final Duration POLL_OVERDUE = Duration.ofSeconds(30);

	private final WorkerSettings settings;

	private final LongSupplier clock;

	private final WakeUp wakeUp = new WakeUp();

	private final Slots slots;

	private final HeldAttempts held;

	private final WorkerSession session;

	private final AttemptRunner runner;

	private final Claimer claimer;

	private final PollLoop pollLoop;

	private final ResultWriter writer;

	private final Finisher finisher;

	private final Watchdog watchdog;

	private final List<Thread> threads = new ArrayList<>();

	private final ScheduledExecutorService heartbeats;

	private final ScheduledExecutorService watcher;

	private volatile boolean running;

	/**
	 * Puts the parts together; nothing is started yet.
	 * @param stores where jobs, sessions and queues are
	 * @param handlers what runs the jobs
	 * @param transaction the unit of transactional handlers
	 * @param settings how the worker works
	 * @param listenerOfWorker who is told what it does
	 * @param clock the monotonic clock
	 */
	RunningWorker(Stores stores, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			WorkerListener listenerOfWorker, LongSupplier clock) {
		this.settings = settings;
		this.clock = clock;
		WorkerListener listener = WorkerListener.all(List.of(listenerOfWorker));
		RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
		Timing timing = settings.timing();
		Capacity capacity = new Capacity(settings.slots(), clock);
		AttemptEvents events = new AttemptEvents(listener, capacity, this.wakeUp);
		BlockingQueue<AttemptResult> results = new LinkedBlockingQueue<>();
		this.slots = new Slots(settings.slots());
		this.held = new HeldAttempts(results::add, events, clock);
		this.session = new WorkerSession(stores.sessions(),
				new NewSession(settings.name(), settings.slots().concurrency(), settings.queues(), handlers.types()),
				timing.sessionTimeout(), this.held::active, this.held::letGoAll, clock);

		FinishDecision decision = new FinishDecision(this.session, clock, random);
		this.runner = new AttemptRunner(this.session, this.held,
				new HandlerRuns(stores.jobs(), transaction, List.of(new LeftOpenTransactions())), decision, listener,
				clock);
		this.watchdog = new Watchdog(this.held, this.session, decision, timing.sessionTimeout(), clock);

		DeferredResults deferred = new DeferredResults(events, clock);
		this.writer = new ResultWriter(stores.jobs(), this.session, this.held, deferred);
		this.finisher = new Finisher(results, this.held, this.writer, deferred, settings.slots(), clock);

		OwnTypes types = new OwnTypes(stores.jobs(), handlers.retries());
		WorkerLoad load = new WorkerLoad(this.held, this.slots, capacity);
		this.claimer = new Claimer(stores.jobs(), this.session, handlers, types, load, clock);
		ClaimPlan plan = new ClaimPlan(clock, random, new QuarantineTurn(stores.jobs(), this.session::id, clock));
		PollRound round = new PollRound(load,
				new KnownRanges(stores.jobs(), settings, types, this.session::beats, clock), plan, this.claimer,
				new OthersJobs(stores.jobs(), types, clock), new PollRound.Settings(settings.slots().flushSize(),
						new PollDelay(timing.pollInterval(), random), clock));
		this.pollLoop = new PollLoop(round, new Reconciliation(stores.jobs(), stores.queues(), this.held, this.session,
				timing.heartbeatInterval(), clock), this.wakeUp, timing.heartbeatInterval(), clock, random);

		this.heartbeats = Executors
			.newSingleThreadScheduledExecutor(new CustomizableThreadFactory("jobqueue-heartbeat-"));
		this.watcher = Executors.newSingleThreadScheduledExecutor(new CustomizableThreadFactory("jobqueue-watch-"));
	}

	void start() {
		this.running = true;
		beat();
		this.slots.start(this.runner);
		this.threads.add(EngineThread.start("jobqueue-finish", this.finisher::step));
		this.threads.add(EngineThread.start("jobqueue-poll", this.pollLoop::step));
		long heartbeat = this.settings.timing().heartbeatInterval().toMillis();
		this.heartbeats.scheduleWithFixedDelay(this::beat, heartbeat, heartbeat, TimeUnit.MILLISECONDS);
		this.watcher.scheduleWithFixedDelay(this::watch, WATCH_INTERVAL.toMillis(), WATCH_INTERVAL.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void beat() {
		EngineThread.guarded("Heartbeat", this.session::beat);
	}

	private void watch() {
		EngineThread.guarded("Watching the attempts", this.watchdog);
	}

	/**
	 * Stops claiming, lets attempts end, gives back the rest, and ends the session.
	 * Heartbeats go on until nothing is held.
	 */
	void stop() {
		this.running = false;
		stopClaiming();
		this.held.giveBackWaiting((attempt) -> true);
		awaitQuietly(this.settings.timing().shutdownGrace(), this::holdsNothing);
		interruptRunning();
		awaitQuietly(LAST_WORDS, () -> this.held.active() == 0);
		giveUpRunning();
		awaitQuietly(LAST_WORDS, this::holdsNothing);
		this.finisher.stop();
		awaitQuietly(LAST_WORDS, () -> !isAlive("jobqueue-finish"));
		this.writer.giveUp();
		this.slots.stop();
		this.watcher.shutdownNow();
		this.heartbeats.shutdownNow();
		this.session.close();
	}

	private void stopClaiming() {
		this.claimer.stop();
		this.pollLoop.stop();
		awaitQuietly(LAST_WORDS, () -> !isAlive("jobqueue-poll"));
	}

	private boolean holdsNothing() {
		return this.held.size() == 0;
	}

	private void interruptRunning() {
		for (Attempt attempt : this.held.all()) {
			if (attempt.interrupt(Reason.SHUTDOWN, this.clock.getAsLong())) {
				log.warn("{} job {} did not end within the grace period of {} and is interrupted", attempt.job().type(),
						attempt.claim().id(), this.settings.timing().shutdownGrace());
			}
		}
	}

	private void giveUpRunning() {
		for (Attempt attempt : this.held.all()) {
			if (attempt.isInterrupted()) {
				this.watchdog.giveUp(attempt);
			}
		}
	}

	private boolean isAlive(String name) {
		return this.threads.stream().anyMatch((thread) -> thread.getName().equals(name) && thread.isAlive());
	}

	private static void awaitQuietly(Duration most, BooleanSupplier condition) {
		long until = System.nanoTime() + most.toNanos();
		while (!condition.getAsBoolean() && System.nanoTime() - until < 0) {
			LockSupport.parkNanos(2_000_000);
		}
	}

	void wakeUp() {
		this.wakeUp.signal();
	}

	void cancelled(long id) {
		Attempt attempt = this.held.find(id);
		if (attempt != null) {
			this.held.letGo(attempt, Reason.CANCELLED);
		}
	}

	void paused(String queue) {
		this.held.giveBackWaiting((attempt) -> attempt.job().queue().equals(queue));
	}

	WorkerHealth health() {
		String problem = problem();
		return new WorkerHealth(this.running, problem.isEmpty(), problem, this.session.id(),
				this.session.sinceLastGood(), this.pollLoop.sinceLastRound(), this.slots.count(), this.held.active(),
				this.held.size());
	}

	private Duration pollOverdue() {
		Duration threeTimes = this.settings.timing().heartbeatInterval().multipliedBy(3);
		return (threeTimes.compareTo(POLL_OVERDUE) > 0) ? threeTimes : POLL_OVERDUE;
	}

	private String problem() {
		if (!this.running) {
			return "stopped";
		}
		if (!isAlive("jobqueue-poll") || this.pollLoop.sinceLastRound().compareTo(pollOverdue()) > 0) {
			return "the poll loop is not alive";
		}
		if (!isAlive("jobqueue-finish")) {
			return "the finisher is not alive";
		}
		if (!this.session.isCurrent()) {
			return "no heartbeat for " + this.session.sinceLastGood().toSeconds() + " s";
		}
		if (this.pollLoop.isFailing()) {
			return "polling fails";
		}
		if (this.finisher.waiting() > 0) {
			return "the results of " + this.finisher.waiting() + " job(s) cannot be committed";
		}
		return (this.held.stuck() >= this.slots.count())
				? "every slot is lost to a handler that does not react to its interrupt" : "";
	}

}
