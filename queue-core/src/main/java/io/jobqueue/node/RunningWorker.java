package io.jobqueue.node;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerHealth;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings.Timing;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.attempt.JobSignals;
import io.jobqueue.worker.attempt.MissedJobs;
import io.jobqueue.worker.finish.Commits;
import io.jobqueue.worker.finish.DeferredResults;
import io.jobqueue.worker.finish.Finisher;
import io.jobqueue.worker.finish.ResultWriter;
import io.jobqueue.worker.poll.ClaimPlan;
import io.jobqueue.worker.poll.Claimer;
import io.jobqueue.worker.poll.JobsOfLimits;
import io.jobqueue.worker.poll.KeyLoop;
import io.jobqueue.worker.poll.KeysInOrder;
import io.jobqueue.worker.poll.KnownRanges;
import io.jobqueue.worker.poll.LostJobs;
import io.jobqueue.worker.poll.NewRanges;
import io.jobqueue.worker.poll.OthersJobs;
import io.jobqueue.worker.poll.OwnTypes;
import io.jobqueue.worker.poll.PollDelay;
import io.jobqueue.worker.poll.PollLoop;
import io.jobqueue.worker.poll.PollRound;
import io.jobqueue.worker.poll.QuarantineTurn;
import io.jobqueue.worker.poll.Reconciliation;
import io.jobqueue.worker.poll.ServedRanges;
import io.jobqueue.worker.poll.Tables;
import io.jobqueue.worker.poll.WorkerLoad;
import io.jobqueue.worker.run.AttemptRunner;
import io.jobqueue.worker.run.FailureLog;
import io.jobqueue.worker.run.FinishDecision;
import io.jobqueue.worker.run.HandlerRuns;
import io.jobqueue.worker.run.HandlerTransaction;
import io.jobqueue.worker.run.Slots;
import io.jobqueue.worker.run.Watchdog;
import io.jobqueue.worker.session.WorkerSession;
import io.jobqueue.worker.thread.ResilientThread;
import io.jobqueue.worker.thread.WakeUp;

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

	private final LongSupplier clock;

	private final WakeUp wakeUp = new WakeUp();

	private final Slots slots;

	private final HeldAttempts held;

	private final WorkerSession session;

	private final AttemptRunner runner;

	private final WorkerLoad load;

	private final Claimer claimer;

	private final ClaimAhead ahead;

	private final NewRanges newRanges;

	private final KeyLoop keyLoop;

	private final PollLoop pollLoop;

	private final ResultWriter writer;

	private final Finisher finisher;

	private final FailureLog failures;

	private final Watchdog watchdog;

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
		this.clock = clock;
		WorkerListener listener = WorkerListener.all(List.of(extensions.listener()));
		RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
		Timing timing = settings.timing();
		Capacity capacity = new Capacity(settings.slots(), clock);
		JobSignals signals = new JobSignals(clock);
		this.ahead = signals.ahead();
		AttemptEvents events = new AttemptEvents(listener, capacity, signals, this.wakeUp);
		BlockingQueue<AttemptResult> results = new LinkedBlockingQueue<>();
		this.slots = new Slots(settings.slots(), clock);
		this.held = new HeldAttempts(results::add, events, clock);
		this.session = new WorkerSession(stores.sessions(),
				new NewSession(settings.name(), settings.slots().concurrency(), settings.queues(), handlers.types()),
				timing.sessionTimeout(), this.held::active, this.held::letGoAll, clock);
		this.failures = new FailureLog(clock);
		MissedJobs missed = new MissedJobs(clock);
		FinishDecision decision = new FinishDecision(this.session, clock, random, this.failures);
		this.runner = new AttemptRunner(this.session, this.held,
				HandlerRuns.of(stores.jobs(), transaction, listener, extensions, clock), decision, missed, clock);
		this.watchdog = new Watchdog(this.held, this.slots, this.session, decision, timing.sessionTimeout(), clock);
		DeferredResults deferred = new DeferredResults(stores.jobs()::dropDeadlines, events, clock);
		OwnTypes types = new OwnTypes(stores.jobs(), handlers.rules(), clock);
		this.newRanges = new NewRanges(settings, Set.copyOf(handlers.types()), signals.orders());
		Commits.Worker next = new Commits.Worker(handlers, settings::servesWithAllSlots,
				Claimer.deadlines(handlers, this.session), this.slots::add, this.newRanges::ready,
				extensions.observer());
		Commits commits = new Commits(stores.jobs(), this.session, this.held, this.ahead, next, clock);
		this.writer = new ResultWriter(commits, this.session, this.held, deferred, clock);
		this.finisher = new Finisher(results, this.held, this.writer, deferred, settings.slots(), clock);
		this.load = new WorkerLoad(this.held, missed, this.slots, capacity, this.wakeUp, settings.shares());
		Tables tables = new Tables(stores.jobs(), stores.rowLocks(), stores.queues(), signals.limits());
		this.claimer = new Claimer(tables, this.session, handlers, types, this.load, clock);
		ServedRanges served = new ServedRanges(settings);
		QuarantineTurn quarantine = new QuarantineTurn(stores.jobs(), this.session::id, clock);
		ClaimPlan plan = new ClaimPlan(clock, random, quarantine, settings.shares().weights());
		this.keyLoop = new KeyLoop(new KeysInOrder(stores.keys().orderKeys(), signals.orders(), this.newRanges, clock),
				new JobsOfLimits(stores.keys().limits(), signals.limits()), signals.wakeUp(), this.wakeUp::signal);
		PollRound round = new PollRound(this.load, new PollRound.Source(this.keyLoop,
				new KnownRanges(stores.jobs(), served, types, this.newRanges, this.session::beats, clock), this.ahead),
				plan, this.claimer,
				List.of(new OthersJobs(stores.jobs(), types, clock), new LostJobs(stores.rowLocks(), clock)),
				new PollRound.Settings(settings.slots().flushSize(), new PollDelay(timing.pollInterval(), random),
						clock));
		this.pollLoop = new PollLoop(round,
				new Reconciliation(tables, this.held, this.ahead, this.session, timing.heartbeatInterval(), clock),
				this.wakeUp, timing.heartbeatInterval(), clock, random);
		this.lateAttempts = new LateAttempts(this.held, this.watchdog, timing.shutdownGrace(), clock);
		this.health = new HealthCheck(this.session, this.held, this.pollLoop, this.finisher, served, settings);
	}

	void start() {
		this.running = true;
		ResilientThread.guarded("Heartbeat", this.session::beat);
		this.slots.start(this.runner, this.load::noneWaits);
		this.threads.start(WorkerThreads.FINISHER, this.finisher::step);
		this.threads.start(WorkerThreads.POLL_LOOP, this.pollLoop::step);
		this.threads.start(WorkerThreads.KEY_LOOP, this.keyLoop::step);
		Duration interval = this.settings.timing().heartbeatInterval();
		this.threads.startHeartbeats(() -> this.session.beatInTime(interval), interval);
		this.threads.startWatchdog(this::watch, WATCH_INTERVAL);
	}

	private void watch() {
		this.watchdog.run();
		this.failures.endPeriods();
	}

	/**
	 * Stops claiming, lets attempts end, gives back the rest, and ends the session.
	 * Heartbeats go on until nothing is held.
	 */
	void stop() {
		this.running = false;
		this.claimer.stop();
		this.ahead.stop();
		this.pollLoop.stop();
		WorkerThreads.awaitQuietly(LAST_WORDS, () -> !this.threads.isAlive(WorkerThreads.POLL_LOOP));
		this.held.giveBackWaiting((attempt) -> true);
		log.info("Running attempts: {}; they have up to {} to end", this.held.active(),
				this.settings.timing().shutdownGrace());
		WorkerThreads.awaitQuietly(this.settings.timing().shutdownGrace(), () -> this.held.size() == 0);
		this.lateAttempts.interrupt();
		WorkerThreads.awaitQuietly(LAST_WORDS, () -> this.held.active() == 0);
		this.lateAttempts.giveUp();
		WorkerThreads.awaitQuietly(LAST_WORDS, () -> this.held.size() == 0);
		this.finisher.stop();
		this.keyLoop.stop();
		WorkerThreads.awaitQuietly(LAST_WORDS,
				() -> !this.threads.isAlive(WorkerThreads.FINISHER) && !this.threads.isAlive(WorkerThreads.KEY_LOOP));
		this.writer.giveUp();
		this.slots.stop();
		this.threads.stopTimers();
		this.session.close();
		this.failures.close();
	}

	void enqueued(List<EnqueuedJob> jobs) {
		this.newRanges.enqueued(jobs);
		this.wakeUp.signal();
	}

	void wakeUp() {
		this.wakeUp.signal();
	}

	void cancelled(long id) {
		this.held.of(id).forEach((attempt) -> this.held.letGo(attempt, InterruptReason.CANCELLED));
	}

	void paused(String queue) {
		this.held.giveBackWaiting((attempt) -> attempt.job().queue().equals(queue));
	}

	WorkerHealth health() {
		return this.health.now(this.running, this.threads::isAlive);
	}

}
