package io.jobqueue.dashboard.api;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.JobState;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.spring.actuate.KeySample;
import io.jobqueue.spring.actuate.QueueSample;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.UriUtils;

/**
 * What is wrong, as far as what was measured shows it, and what can be done about it.
 */
final class Problems {

	private static final Duration LATE = Duration.ofMinutes(5);

	private static final Duration OLD_SAMPLE = Duration.ofMinutes(10);

	private static final int MOST_OF_A_KIND = 5;

	private Problems() {
	}

	/**
	 * Finds them, the worst first.
	 */
	static List<Problem> of(Facts facts) {
		List<Problem> problems = new ArrayList<>();
		away(facts, problems);
		unmeasured(facts, problems);
		workers(facts, problems);
		queues(facts, problems);
		schedules(facts, problems);
		keys(facts, problems);
		return problems.stream().sorted(Comparator.comparing(Problem::severity)).toList();
	}

	private static void away(Facts facts, List<Problem> problems) {
		Instant taken = facts.sample().archivedAt();
		if (facts.away() != null) {
			problems.add(new Problem(Severity.BAD, "The database cannot be asked", facts.away()
					+ " What is shown was so before. Jobs that run go on; their results are kept until it is back.",
					""));
		}
		else if (taken != null && taken.isBefore(Instant.now().minus(OLD_SAMPLE))) {
			problems.add(new Problem(Severity.WARN, "The numbers of the archive are old", "They were counted at "
					+ taken + ". The archive may be very large, or counting fails: the log says so.", ""));
		}
	}

	/** What was not measured may be wrong without being seen. */
	private static void unmeasured(Facts facts, List<Problem> problems) {
		Set<String> unmeasured = facts.sample().unmeasured();
		if (facts.away() == null && !unmeasured.isEmpty()) {
			problems.add(new Problem(Severity.WARN, "Not everything could be measured",
					"Nobody knows the state of: " + unmeasured.stream().sorted().collect(Collectors.joining(", "))
							+ ". Something may be wrong there and not be seen here; the log says why.",
					""));
		}
	}

	private static void workers(Facts facts, List<Problem> problems) {
		if (facts.away() == null && facts.workers().isEmpty()) {
			long live = facts.queues()
				.stream()
				.mapToLong((queue) -> queue.ready() + queue.delayed() + queue.waiting() + queue.running())
				.sum();
			String jobs = (live > 0) ? counted(live, "live job") + " there" : "There are no live jobs";
			problems.add(new Problem((live > 0) ? Severity.BAD : Severity.WARN, "No worker runs",
					jobs + ", but no node has a worker. Start one, or look for jobqueue.worker.enabled=false.",
					"#/workers"));
		}
		for (RatesApi.Failing type : some(facts.failing())) {
			problems.add(new Problem(Severity.WARN, "Attempts of " + type.type() + " fail",
					String.format(Locale.ROOT, "%,d have failed in the last minutes, and %,d succeeded. ",
							type.failed(), type.succeeded())
							+ "Look at the errors of its jobs: a partner may be away, or a deploy may be wrong.",
					"#/jobs?state=ready&type=" + encoded(type.type())));
		}
		for (String type : some(facts.unhandledTypes().stream().sorted().toList())) {
			problems.add(new Problem(Severity.BAD, "Nobody handles " + type,
					"Jobs of this type are ready, but no live worker has a handler for it. Deploy one, or cancel them.",
					"#/jobs?type=" + encoded(type)));
		}
	}

	private static void queues(Facts facts, List<Problem> problems) {
		boolean isServed = !facts.workers().isEmpty();
		boolean busy = isServed && facts.workers().stream().allMatch((worker) -> worker.busy() >= worker.slots());
		List<Queues.Depth> late = facts.queues()
			.stream()
			.filter((queue) -> queue.oldestAge().compareTo(LATE) > 0)
			.sorted(Comparator.comparing(Queues.Depth::oldestAge).reversed())
			.toList();
		for (Queues.Depth queue : some(late)) {
			String since = minutes(queue.oldestAge());
			String link = "#/jobs?state=ready&queue=" + encoded(queue.queue());
			problems.add(queue.paused()
					? new Problem(Severity.WARN, "Queue " + queue.queue() + " is paused",
							counted(queue.ready(), "job") + " due, the first for " + since
									+ ". Resume it once the reason is gone.",
							link)
					: new Problem(Severity.BAD, "Jobs of queue " + queue.queue() + " are late",
							"The first has waited for " + since + ". " + why(isServed, busy), link));
		}
		long suspects = facts.queues().stream().mapToLong(Queues.Depth::suspects).sum();
		if (suspects > 0) {
			problems.add(new Problem(Severity.INFO, counted(suspects, "job") + " under suspicion",
					"Workers died while they ran. They run in ever smaller company until it is known which one it is.",
					"#/jobs?state=ready"));
		}
		long dead = facts.sample().archived().getOrDefault(JobState.DEAD, 0L);
		if (dead > 0) {
			problems.add(new Problem(Severity.INFO, counted(dead, "job") + " dead",
					"Look at their causes; once the reason is gone, redrive them.", "#/causes"));
		}
	}

	private static String why(boolean isServed, boolean busy) {
		if (!isServed) {
			return "No worker runs.";
		}
		return busy ? "All slots of all workers are busy: jobs take long, or there are too few slots."
				: "Slots are free: look for a limit, a handler that no worker has, or workers that do not serve this queue.";
	}

	private static void schedules(Facts facts, List<Problem> problems) {
		List<ScheduleStatus> wrong = facts.sample().schedules().wrong();
		for (ScheduleStatus schedule : some(wrong)) {
			problems.add(of(schedule));
		}
		if (wrong.size() > MOST_OF_A_KIND) {
			problems.add(new Problem(Severity.BAD, "More schedules do not tick",
					"Beside those that are named here at least " + (wrong.size() - MOST_OF_A_KIND) + ".",
					"#/schedules"));
		}
	}

	private static Problem of(ScheduleStatus schedule) {
		String link = "#/schedules?name=" + encoded(schedule.name());
		if (schedule.problem() != null) {
			return new Problem(Severity.BAD, "Schedule " + schedule.name() + " cannot enqueue its job",
					schedule.problem(), link);
		}
		if (schedule.orphaned()) {
			return new Problem(Severity.WARN, "Schedule " + schedule.name() + " is orphaned",
					"It was declared in code, but by no node that runs. It does not tick. Remove it if it is meant to be gone.",
					link);
		}
		return new Problem(
				Severity.BAD, "Schedule " + schedule.name() + " is overdue", "Its tick has been due for "
						+ minutes(schedule.overdue()) + ". No node with a worker runs, or the database is too slow.",
				link);
	}

	private static void keys(Facts facts, List<Problem> problems) {
		int blocked = facts.sample().keys().blockedKeys();
		if (blocked > 0) {
			String least = (blocked >= KeySample.MOST_KEYS) ? "At least " : "";
			problems.add(new Problem(Severity.WARN, least + counted(blocked, "order key") + " blocked",
					"A job of each is dead, and those behind it wait. Redrive it, or pass over it.", "#/keys"));
		}
	}

	private static String counted(long count, String what) {
		return String.format(Locale.ROOT, "%,d %s", count, what) + ((count == 1) ? " is" : "s are");
	}

	/** Other programs may have given any name. */
	private static String encoded(String name) {
		return UriUtils.encode(name, StandardCharsets.UTF_8);
	}

	private static <T> List<T> some(List<T> all) {
		return (all.size() > MOST_OF_A_KIND) ? all.subList(0, MOST_OF_A_KIND) : all;
	}

	private static String minutes(Duration time) {
		return (time.toHours() >= 2) ? time.toHours() + " hours" : Math.max(1, time.toMinutes()) + " min";
	}

	/**
	 * How bad it is.
	 */
	enum Severity {

		/** Jobs do not run that should. */
		BAD,

		/** Somebody should look. */
		WARN,

		/** Good to know. */
		INFO

	}

	/**
	 * Something that is wrong.
	 *
	 * @param severity how bad it is
	 * @param title what
	 * @param advice why, and what can be done
	 * @param link the page on which to look, or empty
	 */
	record Problem(Severity severity, String title, String advice, String link) {

	}

	/**
	 * What is known.
	 */
	record Facts(List<Queues.Depth> queues, List<WorkerSessions.Session> workers, QueueSample sample,
			Set<String> unhandledTypes, List<RatesApi.Failing> failing, @Nullable String away) {

	}

}
