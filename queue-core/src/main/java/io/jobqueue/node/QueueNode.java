package io.jobqueue.node;

import java.sql.Connection;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import io.jobqueue.CurrentActor;
import io.jobqueue.database.Database;
import io.jobqueue.store.Audit;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.StoredJobs;
import io.jobqueue.store.StoredLimits;
import io.jobqueue.store.StoredOperations;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.jdbc.KillDoorbell;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;
import io.jobqueue.worker.run.HandlerTransaction;
import io.jobqueue.worker.run.JobsInTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * One node of the job queue: makes its parts, and is the one place that knows which part
 * needs which. Nothing is started.
 */
public final class QueueNode {

	private final LongSupplier clock;

	private final Database database;

	private final Stores stores;

	private final OperatorStores operator;

	private final QueueListeners listeners;

	private final CurrentActor actor;

	private final Audit audit;

	private final Chores chores;

	/**
	 * Describes a node.
	 * @param database the database that the queue lives in
	 * @param stores what is kept there
	 * @param operator what operators need
	 * @param listeners who is told of what the application does with the queue
	 * @param actor who is at work
	 */
	public QueueNode(Database database, Stores stores, OperatorStores operator, QueueListeners listeners,
			CurrentActor actor) {
		this(database, stores, operator, listeners, actor, System::nanoTime);
	}

	private QueueNode(Database database, Stores stores, OperatorStores operator, QueueListeners listeners,
			CurrentActor actor, LongSupplier clock) {
		this.clock = clock;
		this.database = database;
		this.stores = stores;
		this.listeners = listeners;
		this.operator = operator;
		this.actor = actor;
		this.audit = new Audit(operator.audit(), actor);
		this.chores = new Chores(database, stores, operator, listeners, clock);
	}

	/**
	 * Describes a node with the stores in SQL.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept there, and how long
	 * @return the node
	 */
	public static QueueNode on(Database database, StoreSettings settings) {
		return new QueueNode(database, Stores.on(database, settings), OperatorStores.on(database, settings),
				new QueueListeners(), CurrentActor.UNKNOWN);
	}

	/**
	 * Describes a node by another clock, for tests.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept there, and how long
	 * @param clock the monotonic clock
	 * @return the node
	 */
	public static QueueNode on(Database database, StoreSettings settings, LongSupplier clock) {
		return new QueueNode(database, Stores.on(database, settings, clock), OperatorStores.on(database, settings),
				new QueueListeners(), CurrentActor.UNKNOWN, clock);
	}

	/**
	 * The same node with another view of its jobs.
	 * @param view makes the view
	 * @return the node
	 */
	public QueueNode withJobs(UnaryOperator<JobStore> view) {
		return new QueueNode(this.database, this.stores.withJobs(view.apply(this.stores.jobs())), this.operator,
				this.listeners, this.actor, this.clock);
	}

	public Database database() {
		return this.database;
	}

	public Stores stores() {
		return this.stores;
	}

	public Audit audit() {
		return this.audit;
	}

	public QueueListeners listeners() {
		return this.listeners;
	}

	/**
	 * Makes what the application calls.
	 * @param payloads how payloads are written
	 * @return the queue
	 */
	public StoredJobQueue queue(PayloadWriter payloads) {
		return new StoredJobQueue(this.stores.jobs(), this.stores.queues(), this.stores.keys().orderKeys(), payloads,
				this.listeners, this.audit);
	}

	/**
	 * Makes what the application calls for recurring jobs.
	 * @param payloads how payloads are written
	 * @return the schedules
	 */
	public StoredSchedules schedules(PayloadWriter payloads) {
		return new StoredSchedules(this.stores.schedules(), payloads, this.listeners, this.audit);
	}

	/**
	 * Makes what the application calls for limits.
	 * @return the limits
	 */
	public StoredLimits limits() {
		return new StoredLimits(this.stores.keys().limits(), this.audit);
	}

	/**
	 * Makes what operators look at jobs with.
	 * @return the lists of jobs
	 */
	public StoredJobs jobs() {
		return new StoredJobs(this.operator.listing());
	}

	/**
	 * Makes what operators do to many jobs.
	 * @param maxPayloadBytes how large a payload may be, in UTF-8
	 * @return the operations
	 */
	public StoredOperations operations(int maxPayloadBytes) {
		return new StoredOperations(this.operator.operations(), this.operator.listing(), this.listeners, this.audit,
				maxPayloadBytes);
	}

	/**
	 * What a node does beside running jobs.
	 * @return the chores, which share one agenda
	 */
	public Chores chores() {
		return this.chores;
	}

	/**
	 * Makes the unit of transactional handlers.
	 * @param manager the application's transaction manager, for the queue's DataSource
	 * @return the unit
	 */
	public HandlerTransaction handlerTransaction(PlatformTransactionManager manager) {
		return new HandlerTransaction(manager, this.database.dataSource(),
				new JobsInTransactions(this.stores.jobs(), this.stores.rowLocks()), this.database.networkTimeout());
	}

	/**
	 * Makes a worker.
	 * @param handlers what runs the jobs
	 * @param transaction the unit of transactional handlers
	 * @param settings how it works
	 * @param extensions what the application has it do beside its work
	 * @return the worker
	 */
	public Worker worker(Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions) {
		return new Worker(this.stores, handlers, transaction, settings, extensions, this.clock);
	}

	/**
	 * Makes a worker without threads, for tests.
	 * @param handlers what runs the jobs
	 * @param transaction the unit of transactional handlers, of whatever node
	 * @param settings how it works
	 * @param extensions what the application has it do beside its work
	 * @return the worker
	 */
	public SteppedWorker steppedWorker(Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions) {
		return new SteppedWorker(this.stores, handlers,
				transaction.with(new JobsInTransactions(this.stores.jobs(), this.stores.rowLocks())), settings,
				extensions, this.clock);
	}

	/**
	 * Makes what tells the nodes of each other's jobs.
	 * @param closeForGood closes a connection such that its pool does not hand it out
	 * again; null for what every driver has
	 * @param onRing wakes this node's worker; null if it has none, and only enqueues
	 * @return the wake-up
	 */
	public CrossNodeWakeUp wakeUp(@Nullable Consumer<Connection> closeForGood, @Nullable Runnable onRing) {
		return new CrossNodeWakeUp(
				() -> (closeForGood != null) ? new KillDoorbell(this.database, this.clock, closeForGood)
						: new KillDoorbell(this.database, this.clock),
				onRing);
	}

}
