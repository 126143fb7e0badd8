package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.worker.Attempt.Reason;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The parts and threads of a worker from one start to the next stop.
 */
final class Engine {

	private static final Logger log = LoggerFactory.getLogger(Engine.class);

	private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

	private static final Duration LAST_WORDS = Duration.ofSeconds(2);

	private static final Duration POLL_OVERDUE = Duration.ofSeconds(30);

	private final WorkerSettings settings;

	private final Node node;

	private final Finisher finisher;

	private final Execution execution;

	private final Reconciliation reconciliation;

	private final PollLoop pollLoop;

	private final Watch watch;

	private final List<Thread> threads = new ArrayList<>();

	private final ScheduledExecutorService heartbeats;

	private final ScheduledExecutorService watcher;

	private volatile boolean running;

	Engine(Stores stores, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			WorkerListener listenerOfWorker) {
		WorkerListener listener = WorkerListener.all(List.of(listenerOfWorker));
		LongSupplier nanoTime = System::nanoTime;
		RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
		Duration sessionTimeout = settings.timing().sessionTimeout();
		NewSession description = new NewSession(settings.name(), settings.slots().concurrency(), settings.queues(),
				handlers.types());
		HeldJobs held = new HeldJobs();
		WorkerSession session = new WorkerSession(stores.sessions(), description, sessionTimeout, held::active,
				this::letGo, nanoTime);
		this.settings = settings;
		this.node = new Node(session, held, new Slots(settings.slots()), new Room(settings.slots(), nanoTime),
				new AtomicInteger(), new WakeUp(), random, nanoTime);
		this.finisher = new Finisher(stores.jobs(), this.node, settings.slots(), listener);
		this.reconciliation = new Reconciliation(stores.jobs(), stores.queues(), this.node,
				settings.timing().heartbeatInterval());
		this.execution = new Execution(stores.jobs(), transaction, this.node, this.finisher, this.reconciliation,
				listener);
		this.pollLoop = new PollLoop(stores.jobs(), settings, handlers, this.node, this.reconciliation);
		this.watch = new Watch(this.node, this.finisher, this.execution, this.reconciliation, sessionTimeout);
		this.heartbeats = Executors
			.newSingleThreadScheduledExecutor(new CustomizableThreadFactory("jobqueue-heartbeat-"));
		this.watcher = Executors.newSingleThreadScheduledExecutor(new CustomizableThreadFactory("jobqueue-watch-"));
	}

	void start() {
		this.running = true;
		beat();
		this.node.slots().start(this.execution::run);
		this.threads.add(EngineThread.start("jobqueue-finish", this.finisher::step));
		this.threads.add(EngineThread.start("jobqueue-poll", this.pollLoop::step));
		long heartbeat = this.settings.timing().heartbeatInterval().toMillis();
		this.heartbeats.scheduleWithFixedDelay(this::beat, heartbeat, heartbeat, TimeUnit.MILLISECONDS);
		this.watcher.scheduleWithFixedDelay(this::watch, WATCH_INTERVAL.toMillis(), WATCH_INTERVAL.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void beat() {
		EngineThread.guarded("Heartbeat", this.node.session()::beat);
	}

	private void letGo() {
		this.watch.letGo(this.node.held().all(), this.node.nanoTime().getAsLong());
	}

	private void watch() {
		EngineThread.guarded("Watching the attempts", this.watch);
	}

	/**
	 * Stops claiming, lets attempts end, gives back the rest, and ends the session.
	 * Heartbeats go on until nothing is held.
	 */
	void stop() {
		this.running = false;
		stopClaiming();
		releaseWaiting();
		awaitQuietly(this.settings.timing().shutdownGrace(), this::holdsNothing);
		interruptRunning();
		awaitQuietly(LAST_WORDS, () -> !this.node.held().anyActive());
		giveUpRunning();
		awaitQuietly(LAST_WORDS, this::holdsNothing);
		this.finisher.stop();
		awaitQuietly(LAST_WORDS, () -> !isAlive("jobqueue-finish"));
		this.finisher.giveUp();
		this.node.slots().stop();
		this.watcher.shutdownNow();
		this.heartbeats.shutdownNow();
		this.node.session().close();
	}

	private void stopClaiming() {
		this.pollLoop.stop();
		awaitQuietly(LAST_WORDS, () -> !isAlive("jobqueue-poll"));
	}

	private boolean holdsNothing() {
		return this.node.held().size() == 0;
	}

	private void releaseWaiting() {
		for (Attempt attempt : this.node.held().all()) {
			if (attempt.drop()) {
				this.finisher.add(Report.release(attempt));
			}
		}
	}

	private void interruptRunning() {
		for (Attempt attempt : this.node.held().all()) {
			if (attempt.interrupt(Reason.SHUTDOWN, this.node.nanoTime().getAsLong())) {
				log.warn("{} job {} did not end within the grace period of {} and is interrupted", attempt.job().type(),
						attempt.claim().id(), this.settings.timing().shutdownGrace());
			}
		}
	}

	private void giveUpRunning() {
		for (Attempt attempt : this.node.held().all()) {
			if (attempt.isInterrupted()) {
				this.watch.giveUp(attempt, this.node.nanoTime().getAsLong());
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
		this.node.wakeUp().signal();
	}

	void cancelled(long id) {
		Attempt attempt = this.node.held().find(id);
		if (attempt == null) {
			return;
		}
		if (attempt.drop()) {
			this.node.held().remove(attempt);
		}
		else {
			attempt.interrupt(Reason.CANCELLED, this.node.nanoTime().getAsLong());
		}
	}

	void paused(String queue) {
		for (Attempt attempt : this.node.held().all()) {
			if (attempt.job().queue().equals(queue) && attempt.drop()) {
				this.finisher.add(Report.release(attempt));
			}
		}
	}

	WorkerHealth health() {
		WorkerSession session = this.node.session();
		HeldJobs held = this.node.held();
		String problem = problem(session);
		return new WorkerHealth(this.running, problem.isEmpty(), problem, session.id(), session.sinceLastGood(),
				this.pollLoop.sinceLastRound(), this.settings.slots().concurrency(), held.active(), held.size());
	}

	private Duration pollOverdue() {
		Duration threeTimes = this.settings.timing().heartbeatInterval().multipliedBy(3);
		return (threeTimes.compareTo(POLL_OVERDUE) > 0) ? threeTimes : POLL_OVERDUE;
	}

	private String problem(WorkerSession session) {
		if (!this.running) {
			return "stopped";
		}
		if (!isAlive("jobqueue-poll") || this.pollLoop.sinceLastRound().compareTo(pollOverdue()) > 0) {
			return "the poll loop is not alive";
		}
		if (!isAlive("jobqueue-finish")) {
			return "the finisher is not alive";
		}
		if (!session.isCurrent()) {
			return "no heartbeat for " + session.sinceLastGood().toSeconds() + " s";
		}
		if (this.pollLoop.isFailing()) {
			return "polling fails";
		}
		if (this.finisher.waiting() > 0) {
			return "the results of " + this.finisher.waiting() + " job(s) cannot be committed";
		}
		return (this.node.stuck().get() >= this.settings.slots().concurrency())
				? "every slot is lost to a handler that does not react to its interrupt" : "";
	}

}
