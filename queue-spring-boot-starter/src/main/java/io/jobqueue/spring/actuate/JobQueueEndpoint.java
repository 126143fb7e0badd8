package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.Limits;
import io.jobqueue.Schedules;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The operators' view: queues, workers, counts by state, the newest dead jobs; and, once
 * access is unrestricted, pause, resume, redrive, cancel and reschedule. Payloads are not
 * shown.
 */
@Endpoint(id = "jobqueue", defaultAccess = Access.READ_ONLY)
public final class JobQueueEndpoint {

	private static final int NEWEST_DEAD = 20;

	private static final int PAGE = 100;

	private final JobQueue queue;

	private final Queues queues;

	private final WorkerSessions sessions;

	private final QueueSampler sampler;

	private final Supplier<Set<String>> unhandledTypes;

	private final JobQueueActions actions;

	private final ScheduleActions schedules;

	private final OrderKeyActions orderKeys;

	private final LimitActions limits;

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
		this.queues = queues;
		this.sessions = sessions;
		this.sampler = sampler;
		this.unhandledTypes = unhandledTypes;
		this.schedules = new ScheduleActions(rules.schedules());
		this.limits = new LimitActions(rules.limits());
		this.orderKeys = new OrderKeyActions(queue);
		this.actions = new JobQueueActions(queue, queues, sessions, sampler);
	}

	/**
	 * Shows everything at a glance. Counts and depths are of the latest sample; pauses,
	 * workers and dead jobs of this moment.
	 * @param page which page of the queues, from 0; null for the first
	 * @param queue the one queue to show; null for all
	 * @return the overview
	 */
	@ReadOperation
	public Overview overview(@Nullable String page, @Nullable String queue) {
		QueueSample sample = this.sampler.latest();
		List<QueueView> views = views(sample.depths(), this.queues.paused()).stream()
			.filter((view) -> queue == null || view.name().equals(queue))
			.toList();
		return new Overview(sample.takenAt(), counts(sample), views.size(), page(views, page), this.sessions.list(),
				this.unhandledTypes.get(), this.queues.newestDead(NEWEST_DEAD).stream().map(JobView::of).toList());
	}

	private static List<QueueView> page(List<QueueView> views, @Nullable String page) {
		return views.stream().skip(JobQueueActions.page(page) * PAGE).limit(PAGE).toList();
	}

	/**
	 * Shows one job, without its payload; or the recurring jobs, the limits, or the order
	 * keys that are blocked.
	 * @param id its id, or {@code schedules}, {@code limits} or {@code blocked-keys}
	 * @param page which page of the schedules, from 0; null for the first
	 * @return the job, or null (not found); or the list
	 */
	@ReadOperation
	public @Nullable Object look(@Selector String id, @Nullable String page) {
		return switch (id) {
			case ScheduleActions.PATH -> this.schedules.list(page);
			case OrderKeyActions.PATH -> this.orderKeys.list();
			case LimitActions.PATH -> this.limits.list();
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
		JobQueueActions.Target target = new JobQueueActions.Target(id, queue, type, key, at, all);
		if (schedule != null) {
			return this.schedules.act(action, schedule, target.fields());
		}
		LimitActions.Change change = new LimitActions.Change(running, starts, per, burst);
		if (limit != null || !change.isEmpty()) {
			return this.limits.act(action, (limit != null) ? limit : "", change, target.fields());
		}
		return action.equals(OrderKeyActions.UNBLOCK) ? this.orderKeys.unblock(target)
				: this.actions.act(action, target);
	}

	/**
	 * The queues, the busiest first.
	 */
	private static List<QueueView> views(List<Queues.Depth> depths, Set<String> paused) {
		Map<String, QueueView> views = new TreeMap<>();
		for (String name : paused) {
			views.put(name, new QueueView(name, true, "fifo", "standard", 0, 0, 0, 0, 0, 0));
		}
		for (Queues.Depth depth : depths) {
			views.put(depth.queue(), QueueView.of(depth, paused.contains(depth.queue())));
		}
		return views.values().stream().sorted(Comparator.comparingLong(QueueView::live).reversed()).toList();
	}

	private static Map<String, Long> counts(QueueSample sample) {
		Map<String, Long> counts = new LinkedHashMap<>();
		counts.put("ready", sum(sample, Queues.Depth::ready));
		counts.put("delayed", sum(sample, Queues.Depth::delayed));
		counts.put("waiting", sum(sample, Queues.Depth::waiting));
		counts.put("running", sum(sample, Queues.Depth::running));
		for (JobState state : EnumSet.range(JobState.SUCCEEDED, JobState.EXPIRED)) {
			counts.put(state.name().toLowerCase(Locale.ROOT), sample.archived().getOrDefault(state, 0L));
		}
		return counts;
	}

	private static long sum(QueueSample sample, ToLongFunction<Queues.Depth> jobs) {
		return sample.depths().stream().mapToLong(jobs).sum();
	}

	/**
	 * What operators may change beside jobs and queues.
	 *
	 * @param schedules the recurring jobs
	 * @param limits the limits
	 */
	public record Rules(Schedules schedules, Limits limits) {

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
	 */
	public record Overview(@Nullable Instant sampledAt, Map<String, Long> counts, int queueCount,
			List<QueueView> queues, List<WorkerSessions.Session> workers, Set<String> unhandledTypes,
			List<JobView> newestDead) {

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
