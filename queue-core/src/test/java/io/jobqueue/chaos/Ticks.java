package io.jobqueue.chaos;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.jobqueue.CatchUp;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.Schedule;
import io.jobqueue.ScheduleStatus;
import org.awaitility.Awaitility;

/**
 * Schedules of each second, one of each kind, and what must hold of their ticks whatever
 * was broken. Each has a queue of its own, which tells its jobs from those of others.
 */
final class Ticks {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final String ALL = "all";

	private static final List<Schedule> SCHEDULES = List.of(
			Schedule.every(ALL, SECOND).catchUpAll(Schedule.MAX_CATCH_UP).overlap(Overlap.ALLOW),
			Schedule.cron("once", "* * * * * *").overlap(Overlap.ALLOW),
			Schedule.every("skip", SECOND).catchUp(CatchUp.SKIP),
			Schedule.cron("slow", "* * * * * *").jitter(Duration.ofMillis(300)));

	private final Chaos chaos;

	private final Map<String, Instant> first = new HashMap<>();

	/**
	 * Saves the schedules.
	 * @param chaos the run
	 */
	Ticks(Chaos chaos) {
		this.chaos = chaos;
		for (Schedule schedule : SCHEDULES) {
			String name = schedule.name();
			String payload = Producer.payload(name, name.equals("slow") ? 2_500 : 0);
			chaos.schedules.save(schedule.job(NewJob.of(ChaosWorker.EFFECT, payload).queue(name)));
			this.first.put(name, chaos.schedules.preview(name, 1).get(0));
		}
	}

	/**
	 * Ends the schedules, and waits until their jobs have.
	 * @return how they stood in the end
	 */
	Map<String, ScheduleStatus> end() {
		return end(Duration.ZERO);
	}

	/**
	 * Ends the schedules, and waits until their jobs have.
	 * @param ahead how far the database's clock was ahead
	 * @return how they stood in the end
	 */
	Map<String, ScheduleStatus> end(Duration ahead) {
		Map<String, ScheduleStatus> ended = new HashMap<>();
		// Of several that tick each second, some one may be due at any moment.
		for (String name : this.first.keySet()) {
			Awaitility.await("no tick of '" + name + "' is due")
				.atMost(Duration.ofSeconds(30))
				.pollInterval(Duration.ofMillis(20))
				.until(() -> this.chaos.schedules.find(name).orElseThrow().overdue().isZero());
			this.chaos.schedules.pause(name);
			ended.put(name, this.chaos.schedules.find(name).orElseThrow());
		}
		this.chaos.awaitDrained(ahead);
		return ended;
	}

	/**
	 * What is broken of what must hold.
	 * @param ended how the schedules stood in the end
	 */
	List<String> violations(Map<String, ScheduleStatus> ended) {
		List<String> violations = new ArrayList<>();
		ended.forEach((name, status) -> {
			List<Instant> ticks = ticks(name);
			if (ticks.size() != new TreeSet<>(ticks).size()) {
				violations.add(name + ": some tick had two jobs: "
						+ ticks.stream()
							.collect(Collectors.groupingBy((tick) -> tick, Collectors.counting()))
							.entrySet()
							.stream()
							.filter((tick) -> tick.getValue() > 1)
							.toList());
			}
			if (ticks.size() != status.fired()) {
				violations.add(name + ": " + status.fired() + " ticks are said to have had a job, " + ticks.size()
						+ " jobs there were");
			}
		});
		return violations;
	}

	/**
	 * What is broken of what must hold if the clock has not jumped: every tick had a job,
	 * or was counted.
	 */
	List<String> uncounted(Map<String, ScheduleStatus> ended) {
		List<String> violations = new ArrayList<>();
		ended.forEach((name, status) -> {
			long due = Duration.between(this.first.get(name), next(name)).toSeconds();
			long counted = status.fired() + status.missed() + status.skipped();
			if (due != counted) {
				violations.add(name + ": " + due + " ticks were due, " + counted + " are counted: " + status);
			}
			if (name.equals(ALL) && status.fired() != due) {
				violations.add(name + ": not every tick had a job: " + status);
			}
		});
		return violations;
	}

	/** The tick that a schedule did not have any more. */
	Instant next(String name) {
		return this.chaos.sql
			.queryForObject("SELECT next_at FROM jobqueue_schedule WHERE name = ?", LocalDateTime.class, name)
			.toInstant(ZoneOffset.UTC);
	}

	private List<Instant> ticks(String queue) {
		return this.chaos.sql
			.queryForList("SELECT scheduled_for FROM jobqueue_archive WHERE queue = ?", LocalDateTime.class, queue)
			.stream()
			.map((tick) -> tick.toInstant(ZoneOffset.UTC))
			.toList();
	}

}
