package io.jobqueue.node;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.jobqueue.database.Database;
import io.jobqueue.maintenance.DeadLetterUnknownStates;
import io.jobqueue.maintenance.DeclareSchedules;
import io.jobqueue.maintenance.Expire;
import io.jobqueue.maintenance.FireSchedules;
import io.jobqueue.maintenance.PruneAudit;
import io.jobqueue.maintenance.Rescue;
import io.jobqueue.maintenance.RunOperations;
import io.jobqueue.maintenance.SharedAgenda;
import io.jobqueue.maintenance.SweepDeadJobs;
import io.jobqueue.maintenance.SweepWaitingJobs;
import io.jobqueue.store.Agenda;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.jdbc.ReadAgenda;
import io.jobqueue.worker.WorkerSettings;

/**
 * Makes what a node does beside running jobs. Nothing is started.
 */
public final class Chores {

	/** Rescue reads it each heartbeat interval, which may be longer. */
	private static final Duration AGENDA = Duration.ofSeconds(7);

	/** Also if heartbeats, and with them the agenda, follow each other sooner. */
	private static final Duration SWEEP = Duration.ofSeconds(4);

	private static final Duration LOOK_AT_AGENDA = Duration.ofSeconds(1);

	private final Stores stores;

	private final OperatorStores operator;

	private final QueueListeners listeners;

	private final LongSupplier clock;

	private final SharedAgenda agenda;

	/**
	 * Describes the chores of a node.
	 * @param database the database that the queue lives in
	 * @param stores what is kept there
	 * @param operator what operators need
	 * @param listeners who is told of what the application does with the queue
	 * @param clock the monotonic clock
	 */
	Chores(Database database, Stores stores, OperatorStores operator, QueueListeners listeners, LongSupplier clock) {
		this.stores = stores;
		this.operator = operator;
		this.listeners = listeners;
		this.clock = clock;
		this.agenda = new SharedAgenda(new ReadAgenda(database), clock);
	}

	/**
	 * Makes what enqueues the jobs of schedules.
	 * @return the chore, which is told what is saved on this node
	 */
	public FireSchedules fireSchedules() {
		FireSchedules fire = new FireSchedules(this.stores.schedules(), this.agenda.news(Duration.ZERO, AGENDA),
				this.listeners, this.clock);
		this.listeners.add(fire);
		return fire;
	}

	/**
	 * Makes what archives jobs that have expired.
	 * @param interval how often to look
	 * @return the chore
	 */
	public Expire expire(Duration interval) {
		return new Expire(this.stores.jobs(), this.agenda.says(Agenda::expire, AGENDA), interval);
	}

	/**
	 * Makes what archives jobs whose state does not exist.
	 * @param interval how often to look
	 * @return the chore
	 */
	public DeadLetterUnknownStates deadLetterUnknownStates(Duration interval) {
		return new DeadLetterUnknownStates(this.stores.jobs(), this.agenda.says(Agenda::unknownStates, AGENDA),
				interval);
	}

	/**
	 * Makes what sees to jobs that wait for keys and of which nobody knows.
	 * @return the chore
	 */
	public SweepWaitingJobs sweepWaitingJobs() {
		KeyStores keys = this.stores.keys();
		return new SweepWaitingJobs(this.agenda.news(SWEEP, AGENDA), keys.orderKeys(), keys.limits(), LOOK_AT_AGENDA);
	}

	/**
	 * Makes what stores the schedules that code declares.
	 * @param declared what the code of this node declares
	 * @param revision the higher, the newer
	 * @return the chore
	 */
	public DeclareSchedules declareSchedules(Supplier<List<ScheduleDefinition>> declared, long revision) {
		return new DeclareSchedules(this.stores.schedules(), declared, revision,
				() -> this.listeners.tell(QueueListener::schedulesChanged));
	}

	/**
	 * Makes the rescue of jobs whose workers are gone.
	 * @param timing the times of workers; the same for all nodes
	 * @return the chore
	 */
	public Rescue rescue(WorkerSettings.Timing timing) {
		return new Rescue(
				new Rescue.Source(this.agenda, this.stores.jobs(), this.stores.sessions(), this.stores.rowLocks()),
				new Rescue.Settings(timing.heartbeatInterval(), timing.sessionTimeout()), this.clock,
				() -> ThreadLocalRandom.current().nextLong());
	}

	/**
	 * Makes what sees to the causes of dead jobs.
	 * @param interval how often to look
	 * @return the chore
	 */
	public SweepDeadJobs sweepDeadJobs(Duration interval) {
		return new SweepDeadJobs(this.operator.dead(), interval);
	}

	/**
	 * Makes what works on operations on many jobs.
	 * @return the chore, which is told of what is begun on this node
	 */
	public RunOperations runOperations() {
		RunOperations run = new RunOperations(this.operator.operations(), this.agenda.says(Agenda::operations, AGENDA),
				this.listeners);
		this.listeners.add(run);
		return run;
	}

	/**
	 * Makes what deletes old entries of the audit.
	 * @param keep how long they are kept
	 * @return the chore
	 */
	public PruneAudit pruneAudit(Duration keep) {
		return new PruneAudit(this.operator.audit(), keep);
	}

}
