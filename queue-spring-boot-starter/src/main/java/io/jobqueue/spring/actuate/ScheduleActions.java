package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.jobqueue.CatchUp;
import io.jobqueue.Overlap;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.Schedules;
import io.jobqueue.spring.actuate.JobQueueEndpoint.Result;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * What operators see of recurring jobs, and do with them, through the endpoint.
 */
final class ScheduleActions {

	/** What stands in the path in place of a job's id. */
	static final String PATH = "schedules";

	private static final int PAGE = 100;

	private final Schedules schedules;

	ScheduleActions(Schedules schedules) {
		this.schedules = schedules;
	}

	ScheduleList list(@Nullable String page) {
		List<ScheduleStatus> all = this.schedules.all();
		return new ScheduleList(all.size(),
				all.stream().skip(JobQueueActions.page(page) * PAGE).limit(PAGE).map(ScheduleView::of).toList());
	}

	/**
	 * Does something.
	 * @param action pause, resume, trigger or remove
	 * @param name the schedule
	 * @param others what else was given, which must be nothing
	 * @return how much was changed
	 * @throws InvalidEndpointRequestException if it cannot be done, with the reason
	 */
	Result act(String action, String name, Set<String> others) {
		if (!others.isEmpty()) {
			throw refused(
					"The action '" + action + "' takes no " + String.join(" and no ", others) + " beside a schedule");
		}
		try {
			return switch (action) {
				case "pause" -> result(action, name, this.schedules.pause(name));
				case "resume" -> result(action, name, this.schedules.resume(name));
				case "remove" -> remove(name);
				case "trigger" -> trigger(name);
				default -> throw refused("There is no action '" + action
						+ "' for a schedule. The actions are pause, resume, trigger and remove");
			};
		}
		catch (IllegalArgumentException ex) {
			throw refused(String.valueOf(ex.getMessage()));
		}
	}

	private static Result result(String action, String name, boolean known) {
		return new Result(action, known ? 1 : 0, known ? null : "There is no schedule '" + name + "'");
	}

	private Result remove(String name) {
		try {
			return result("remove", name, this.schedules.remove(name));
		}
		catch (IllegalStateException ex) {
			throw refused(String.valueOf(ex.getMessage()));
		}
	}

	private Result trigger(String name) {
		Optional<Long> id = this.schedules.trigger(name);
		return id.map((job) -> new Result("trigger", 1, "Its job is " + job))
			.orElseGet(() -> new Result("trigger", 0, "Its last job is live, and it does not allow two"));
	}

	private static InvalidEndpointRequestException refused(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

	/**
	 * A page of schedules.
	 *
	 * @param scheduleCount how many there are
	 * @param schedules at most 100, by name
	 */
	record ScheduleList(int scheduleCount, List<ScheduleView> schedules) {

	}

	/**
	 * One schedule.
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record ScheduleView(String name, String timing, String type, String queue, @Nullable CatchUp catchUp,
			@Nullable Overlap overlap, @Nullable Double jitterSeconds, boolean declared, boolean orphaned,
			boolean paused, @Nullable Instant next, @Nullable Instant last, @Nullable Long lastJobId, long fired,
			long missed, long skipped, double overdueSeconds, @Nullable String problem) {

		static ScheduleView of(ScheduleStatus status) {
			return new ScheduleView(status.name(), status.timing(), status.type(), status.queue(), status.catchUp(),
					status.overlap(), (status.jitter() != null) ? status.jitter().toMillis() / 1000.0 : null,
					status.declared(), status.orphaned(), status.paused(), status.next(), status.last(),
					status.lastJobId(), status.fired(), status.missed(), status.skipped(),
					status.overdue().toMillis() / 1000.0, status.problem());
		}

	}

}
