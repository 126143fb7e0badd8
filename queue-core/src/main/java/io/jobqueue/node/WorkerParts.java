package io.jobqueue.node;

import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings.Timing;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.AttemptEvents;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.Capacity;
import io.jobqueue.worker.attempt.ClaimAhead;
import io.jobqueue.worker.attempt.HeldAttempts;
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
import io.jobqueue.worker.thread.WakeUp;

/**
 * The parts of a worker, put together: the one place that knows which of them needs
 * which. Nothing runs by itself.
 */
final class WorkerParts {

	final WakeUp wakeUp = new WakeUp();

	final Slots slots;

	final HeldAttempts held;

	final WorkerSession session;

	final AttemptRunner runner;

	final WorkerLoad load;

	final Claimer claimer;

	final ClaimAhead ahead;

	final NewRanges newRanges;

	final KeyLoop keyLoop;

	final PollRound round;

	final PollLoop pollLoop;

	final ResultWriter writer;

	final Finisher finisher;

	final FailureLog failures;

	final Watchdog watchdog;

	final ServedRanges served;

	final LimitPauses limits;

	/**
	 * Puts the parts together.
	 * @param stores where jobs, sessions and queues are
	 * @param handlers what runs the jobs
	 * @param transaction the unit of transactional handlers
	 * @param settings how the worker works
	 * @param extensions what the application has it do beside its work
	 * @param clock the monotonic clock
	 */
	WorkerParts(Stores stores, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions, LongSupplier clock) {
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
		this.served = new ServedRanges(settings);
		QuarantineTurn quarantine = new QuarantineTurn(stores.jobs(), this.session::id, clock);
		ClaimPlan plan = new ClaimPlan(clock, random, quarantine, settings.shares().weights());
		this.keyLoop = new KeyLoop(new KeysInOrder(stores.keys().orderKeys(), signals.orders(), this.newRanges, clock),
				new JobsOfLimits(stores.keys().limits(), signals.limits()), signals.wakeUp(), this.wakeUp::signal);
		KnownRanges ranges = new KnownRanges(stores.jobs(), this.served, types, this.newRanges, this.session::beats,
				clock);
		this.limits = signals.limits();
		this.round = new PollRound(this.load, new PollRound.Source(this.keyLoop, ranges, this.ahead), plan,
				this.claimer,
				List.of(new OthersJobs(stores.jobs(), types, clock), new LostJobs(stores.rowLocks(), clock)),
				new PollRound.Settings(settings.slots().flushSize(), new PollDelay(timing.pollInterval(), random),
						clock));
		this.pollLoop = new PollLoop(this.round,
				new Reconciliation(tables, this.held, this.ahead, this.session, timing.heartbeatInterval(), clock),
				this.wakeUp, timing.heartbeatInterval(), clock, random);
	}

}
