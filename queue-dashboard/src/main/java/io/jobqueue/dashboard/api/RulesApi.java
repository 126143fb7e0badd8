package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.jobqueue.BlockedKey;
import io.jobqueue.JobQueue;
import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.Limits;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.Schedules;
import org.jspecify.annotations.Nullable;

/**
 * Schedules, limits and blocked order keys, as the page asks for them.
 */
public final class RulesApi {

	private static final int PAGE = 100;

	private static final int TICKS = 10;

	private static final Duration AGAIN = Duration.ofSeconds(5);

	private final Schedules schedules;

	private final Shared<List<ScheduleStatus>> allSchedules;

	private final Shared<List<LimitRow>> allLimits;

	private final JobQueue queue;

	/**
	 * Creates it.
	 * @param schedules the recurring jobs
	 * @param limits the limits
	 * @param queue knows the blocked keys
	 */
	public RulesApi(Schedules schedules, Limits limits, JobQueue queue) {
		this.schedules = schedules;
		this.allSchedules = new Shared<>(AGAIN, schedules::all, System::nanoTime);
		this.allLimits = new Shared<>(AGAIN, () -> limits.list().stream().map(LimitRow::of).toList(), System::nanoTime);
		this.queue = queue;
	}

	Aged<ScheduleList> schedules(@Nullable String name, int page) {
		return this.allSchedules.aged().map((schedules) -> {
			List<ScheduleStatus> all = schedules.stream()
				.filter((one) -> name == null || one.name().contains(name))
				.toList();
			return new ScheduleList(all.stream().skip((long) page * PAGE).limit(PAGE).map(ScheduleRow::of).toList(),
					all.size());
		});
	}

	/**
	 * Lets the next one who asks see what was changed.
	 */
	void expire() {
		this.allSchedules.expire();
		this.allLimits.expire();
	}

	/**
	 * When a schedule ticks next, without jitter.
	 */
	List<Instant> ticks(String name) {
		return this.schedules.preview(name, TICKS);
	}

	Aged<List<LimitRow>> limits() {
		return this.allLimits.aged();
	}

	List<KeyRow> blockedKeys() {
		return this.queue.blockedKeys(PAGE).stream().map(KeyRow::of).toList();
	}

	/**
	 * A page of schedules.
	 */
	record ScheduleList(List<ScheduleRow> schedules, int count) {

	}

	/**
	 * A schedule as it stands.
	 */
	record ScheduleRow(String name, String timing, String type, String queue, String catchUp, String overlap,
			boolean declared, boolean orphaned, boolean paused, @Nullable Instant next, @Nullable Instant last,
			@Nullable String lastJobId, long fired, long missed, long skipped, double overdueSeconds,
			@Nullable String problem) {

		static ScheduleRow of(ScheduleStatus status) {
			return new ScheduleRow(status.name(), status.timing(), status.type(), status.queue(),
					lower(status.catchUp()), lower(status.overlap()), status.declared(), status.orphaned(),
					status.paused(), status.next(), status.last(),
					(status.lastJobId() != null) ? status.lastJobId().toString() : null, status.fired(),
					status.missed(), status.skipped(), status.overdue().toMillis() / 1000.0, status.problem());
		}

		private static String lower(@Nullable Enum<?> value) {
			return (value != null) ? value.name().toLowerCase(Locale.ROOT) : "";
		}

	}

	/**
	 * A limit and its jobs. Counts go up to 10,000.
	 */
	record LimitRow(String name, int running, int starts, double perSeconds, int burst, boolean changed,
			List<String> types, long runningNow, long ready, long waiting) {

		static LimitRow of(LimitStatus status) {
			Limit limit = status.limit();
			return new LimitRow(limit.name(), limit.running(), limit.starts(), limit.per().toMillis() / 1000.0,
					limit.burst(), status.changed(), status.types(), status.running(), status.ready(),
					status.waiting());
		}

	}

	/**
	 * An order key that a dead job blocks.
	 */
	record KeyRow(String key, String jobId, Instant blockedAt, JobSummary.@Nullable Problem error) {

		static KeyRow of(BlockedKey key) {
			return new KeyRow(key.orderKey(), Long.toString(key.jobId()), key.blockedAt(),
					(key.error() != null) ? JobSummary.Problem.of(key.error()) : null);
		}

	}

}
