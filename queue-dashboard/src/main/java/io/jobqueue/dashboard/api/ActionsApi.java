package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import io.jobqueue.JobQueue;
import io.jobqueue.Limit;
import io.jobqueue.Limits;
import io.jobqueue.NewJob;
import io.jobqueue.Operations;
import io.jobqueue.Schedules;
import io.jobqueue.store.KnownQueues;
import org.jspecify.annotations.Nullable;

/**
 * What operators do on the page.
 */
public final class ActionsApi {

	private static final String JOB = "A job's id";

	private final JobQueue queue;

	private final Operations operations;

	private final Schedules schedules;

	private final Limits limits;

	private final JobsApi jobs;

	private final KnownQueues known;

	/**
	 * Creates it.
	 * @param queue acts on single jobs and queues
	 * @param operations acts on many jobs
	 * @param schedules acts on recurring jobs
	 * @param limits acts on limits
	 * @param jobs how payloads are shown
	 * @param known which queues are known
	 */
	public ActionsApi(JobQueue queue, Operations operations, Schedules schedules, Limits limits, JobsApi jobs,
			KnownQueues known) {
		this.queue = queue;
		this.operations = operations;
		this.schedules = schedules;
		this.limits = limits;
		this.jobs = jobs;
		this.known = known;
	}

	/**
	 * A queue may be paused before it has jobs, so an unknown one is no mistake for
	 * certain.
	 */
	Done pause(QueueName body) {
		String name = required("queue", body.queue());
		NewJob.of("any").queue(name);
		boolean known = this.known.contains(name);
		this.queue.pause(name);
		return new Done(1, null, known ? null : "No queue '" + name + "' was known; it is paused from now on");
	}

	Done resume(QueueName body) {
		this.queue.resume(required("queue", body.queue()));
		return Done.of(true);
	}

	Done redrive(JobId body) {
		return Done.of(this.queue.redrive(JobFilters.number(JOB, body.id())));
	}

	/** A job that was seen to be ready may run by now. */
	Done cancel(SeenJob body) {
		return Done.of(this.operations.cancel(JobFilters.number(JOB, body.id()),
				JobFilters.state(required("state", body.state()))));
	}

	/** Somebody else may have done so since the job was seen. */
	Done reschedule(JobTime body) {
		return Done.of(this.operations.reschedule(JobFilters.number(JOB, body.id()),
				Objects.requireNonNull(JobFilters.time(required("before", body.before()))),
				Objects.requireNonNull(JobFilters.time(required("at", body.at())))));
	}

	/**
	 * What is not shown as it is would be written back as something else.
	 */
	Done edit(JobPayload body, boolean maySeePayloads) {
		long id = JobFilters.number(JOB, body.id());
		if (!maySeePayloads || !this.jobs.isShownWhole(id)) {
			throw new IllegalArgumentException("A payload is edited only by those who see it as it is");
		}
		return Done.of(this.operations.redrive(id, body.before(), required("payload", body.payload())));
	}

	OperationsApi.OperationRow redriveAll(JobFilters body) {
		return OperationsApi.OperationRow.of(this.operations.redrive(body.filter()));
	}

	OperationsApi.OperationRow cancelAll(JobFilters body) {
		return OperationsApi.OperationRow.of(this.operations.cancel(body.filter()));
	}

	Done stop(JobId body) {
		return Done.of(this.operations.stop(JobFilters.number("An operation's id", body.id())));
	}

	Done pauseSchedule(ScheduleName body) {
		return Done.of(this.schedules.pause(required("name", body.name())));
	}

	Done resumeSchedule(ScheduleName body) {
		return Done.of(this.schedules.resume(required("name", body.name())));
	}

	/** A node that declares it may have come since it was seen to be orphaned. */
	Done removeSchedule(ScheduleName body) {
		try {
			return Done.of(this.schedules.remove(required("name", body.name())));
		}
		catch (IllegalStateException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
	}

	Done trigger(ScheduleName body) {
		Optional<Long> job = this.schedules.trigger(required("name", body.name()));
		return new Done(job.isPresent() ? 1 : 0, job.map(Object::toString).orElse(null), null);
	}

	Done changeLimit(LimitChange body) {
		String name = required("name", body.name());
		Limit before = required("before", body.before()).of(name);
		Limit after = required("after", body.after()).of(name);
		if (this.limits.find(name).isEmpty()) {
			throw new IllegalArgumentException("There is no limit '" + name + "'");
		}
		return Done.of(this.limits.change(before, after));
	}

	Done unblock(OrderKey body) {
		return Done.of(this.queue.unblock(required("key", body.key()), JobFilters.number(JOB, body.job())));
	}

	private static <T> T required(String name, @Nullable T value) {
		if (value == null) {
			throw new IllegalArgumentException("'" + name + "' is missing");
		}
		return value;
	}

	/** A queue. */
	record QueueName(@Nullable String queue) {

	}

	/** A job, or an operation. */
	record JobId(@Nullable String id) {

	}

	/** A job, when it was to start as it was seen, and when it may start. */
	record JobTime(@Nullable String id, @Nullable String before, @Nullable String at) {

	}

	/** A job, and the state in which it was seen. */
	record SeenJob(@Nullable String id, @Nullable String state) {

	}

	/** A dead job, the payload that was seen, and another one for it. */
	record JobPayload(@Nullable String id, @Nullable String before, @Nullable String payload) {

	}

	/** A schedule. */
	record ScheduleName(@Nullable String name) {

	}

	/** A limit as it was seen, and as it is to be. */
	record LimitChange(@Nullable String name, @Nullable Rule before, @Nullable Rule after) {

	}

	/** The rule of a limit. */
	record Rule(int running, int starts, long perMillis, int burst) {

		Limit of(String name) {
			return new Limit(name, this.running, this.starts, Duration.ofMillis(this.perMillis), this.burst);
		}

	}

	/** An order key, and the dead job that blocks it. */
	record OrderKey(@Nullable String key, @Nullable String job) {

	}

	/**
	 * What an action did.
	 *
	 * @param changed how much it changed; 0 if it could do nothing. What was paused or
	 * resumed already counts
	 * @param job the id of a job that it enqueued, or null
	 * @param note what operators should know of it, or null
	 */
	record Done(int changed, @Nullable String job, @Nullable String note) {

		static Done of(boolean changed) {
			return new Done(changed ? 1 : 0, null, null);
		}

	}

}
