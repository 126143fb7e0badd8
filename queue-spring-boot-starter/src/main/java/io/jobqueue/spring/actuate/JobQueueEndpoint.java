package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.JobQueue;
import io.jobqueue.Limits;
import io.jobqueue.Schedules;
import io.jobqueue.store.Audit;
import io.jobqueue.store.KnownQueues;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * The operators' view: queues, workers, counts by state, the newest dead jobs; and, once
 * access is unrestricted, pause, resume, redrive, cancel and reschedule. Payloads are not
 * shown.
 */
@Endpoint(id = "jobqueue", defaultAccess = Access.READ_ONLY)
public final class JobQueueEndpoint {

	private final JobQueue queue;

	private final QueueOverviews overviews;

	private final JobQueueActions actions;

	private final ScheduleActions schedules;

	private final OrderKeyActions orderKeys;

	private final LimitActions limits;

	private final AuditActions audit;

	/**
	 * Creates the endpoint.
	 * @param queue what operators act on
	 * @param queues where the dead are listed
	 * @param sessions where the workers are listed
	 * @param sampler who measures the queues
	 * @param rules recurring jobs and limits
	 * @param unhandledTypes the types that have ready jobs and no live worker
	 */
	public JobQueueEndpoint(JobQueue queue, Queues queues, WorkerSessions sessions, QueueSampler sampler, Rules rules,
			Supplier<Set<String>> unhandledTypes) {
		this.queue = queue;
		this.overviews = new QueueOverviews(queues, sessions, sampler, unhandledTypes);
		this.schedules = new ScheduleActions(rules.schedules());
		this.limits = new LimitActions(rules.limits());
		this.orderKeys = new OrderKeyActions(queue);
		this.audit = new AuditActions(rules.audit());
		this.actions = new JobQueueActions(queue, queues, new KnownQueues(queues, sessions));
	}

	/**
	 * Shows everything at a glance. Counts and depths are of the latest sample; pauses,
	 * workers and dead jobs of this moment. While the database is away, it shows what is
	 * known, and why that is not all.
	 * @param page which page of the queues, from 0; null for the first
	 * @param queue the one queue to show; null for all
	 * @return the overview
	 */
	@ReadOperation
	public Overview overview(@Nullable String page, @Nullable String queue) {
		try {
			return this.overviews.now(page, queue);
		}
		catch (DataAccessException | TransactionException ex) {
			return this.overviews.known(page, queue, String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Shows one job, without its payload; or the recurring jobs, the limits, the order
	 * keys that are blocked, or the audit.
	 * @param id its id, or {@code schedules}, {@code limits}, {@code blocked-keys} or
	 * {@code audit}
	 * @param page which page of the schedules, from 0; null for the first
	 * @return the job, or null (not found); or the list
	 */
	@ReadOperation
	public @Nullable Object look(@Selector String id, @Nullable String page) {
		return switch (id) {
			case ScheduleActions.PATH -> this.schedules.list(page);
			case OrderKeyActions.PATH -> this.orderKeys.list();
			case LimitActions.PATH -> this.limits.list();
			case AuditActions.PATH -> this.audit.list();
			default -> job(id);
		};
	}

	private @Nullable JobView job(String id) {
		return this.queue.find(JobQueueActions.number(id, JobQueueActions.ID_RULE)).map(JobView::of).orElse(null);
	}

	/**
	 * Pauses, resumes, redrives, cancels or reschedules; unblocks an order key; triggers
	 * or removes a schedule; changes a limit.
	 * @param action {@code pause}, {@code resume}, {@code redrive}, {@code cancel},
	 * {@code reschedule}, {@code unblock}, {@code trigger}, {@code remove} or
	 * {@code limit}
	 * @param id the job to redrive, cancel or reschedule
	 * @param queue the queue to pause or resume, or whose jobs to redrive or cancel
	 * @param type the type whose jobs to redrive or cancel, or that of the key
	 * @param key the unique key whose job to cancel, or the order key to unblock
	 * @param at when a rescheduled job may start, as {@code 2026-12-31T23:59:00Z}
	 * @param all {@code true} to cancel all jobs of a queue or type
	 * @param schedule the schedule to pause, resume, trigger or remove; nothing else is
	 * given then
	 * @param limit the limit to change; what follows is given with it only
	 * @param running how many jobs may run at once; null to leave it
	 * @param starts how many may start within {@code per}; null to leave it
	 * @param per the time, as {@code 1s}; null to leave it
	 * @param burst how many may start at one moment; null to leave it
	 * @return how much was changed
	 */
	@WriteOperation
	public Result act(@Selector String action, @Nullable String id, @Nullable String queue, @Nullable String type,
			@Nullable String key, @Nullable String at, @Nullable String all, @Nullable String schedule,
			@Nullable String limit, @Nullable String running, @Nullable String starts, @Nullable String per,
			@Nullable String burst) {
		return this.audit.ofEndpoint(() -> act(action, new JobQueueActions.Target(id, queue, type, key, at, all),
				schedule, limit, new LimitActions.Change(running, starts, per, burst)));
	}

	private Result act(String action, JobQueueActions.Target target, @Nullable String schedule, @Nullable String limit,
			LimitActions.Change change) {
		if (schedule != null) {
			return this.schedules.act(action, schedule, target.fields());
		}
		if (limit != null || !change.isEmpty()) {
			return this.limits.act(action, (limit != null) ? limit : "", change, target.fields());
		}
		return action.equals(OrderKeyActions.UNBLOCK) ? this.orderKeys.unblock(target)
				: this.actions.act(action, target);
	}

	/**
	 * What operators may change beside jobs and queues.
	 *
	 * @param schedules the recurring jobs
	 * @param limits the limits
	 * @param audit where is written what they change
	 */
	public record Rules(Schedules schedules, Limits limits, Audit audit) {

	}

	/**
	 * Everything at a glance.
	 *
	 * @param sampledAt when the queues and the live jobs were measured, by this node's
	 * clock; archived jobs are counted apart
	 * @param counts jobs by state; {@code ready} leaves out those that are delayed
	 * @param queueCount how many queues there are
	 * @param queues a page of at most 100 queues, those with the most live jobs first
	 * @param workers the live worker sessions of all nodes
	 * @param unhandledTypes types that have ready jobs and no live worker
	 * @param newestDead the newest dead jobs
	 * @param problem why the database could not be asked, so that only counts and depths
	 * are shown, as they were; null if it could
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Overview(@Nullable Instant sampledAt, Map<String, Long> counts, int queueCount,
			List<QueueView> queues, List<WorkerSessions.Session> workers, Set<String> unhandledTypes,
			List<JobView> newestDead, @Nullable String problem) {

	}

	/**
	 * What an action did.
	 *
	 * @param action the action
	 * @param changed how many jobs or queues it changed
	 * @param note what else there is to say; null for nothing
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Result(String action, int changed, @Nullable String note) {

	}

}
