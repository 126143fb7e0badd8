package io.jobqueue.spring.actuate;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.KnownQueues;
import io.jobqueue.store.Queues;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * What operators do through the endpoint. Whatever cannot be done is refused with the
 * reason; of a name that nobody knows the answer says so.
 */
final class JobQueueActions {

	/** What a job's id is. */
	static final String ID_RULE = "A job's id is a number";

	private static final String ACTIONS = "The actions are pause, resume, redrive, cancel, reschedule, unblock, limit, "
			+ "trigger and remove";

	private final JobQueue queue;

	private final Queues queues;

	private final KnownQueues known;

	JobQueueActions(JobQueue queue, Queues queues, KnownQueues known) {
		this.queue = queue;
		this.queues = queues;
		this.known = known;
	}

	/**
	 * Does something.
	 * @param action what
	 * @param what to what
	 * @return how much was changed
	 * @throws InvalidEndpointRequestException if it cannot be done, with the reason
	 */
	JobQueueEndpoint.Result act(String action, Target what) {
		try {
			checkFields(action, what);
			return switch (action) {
				case "pause" -> pause(required("queue", what.queue()));
				case "resume" -> resume(required("queue", what.queue()));
				case "redrive" -> result(action, redrive(what), what);
				case "cancel" -> result(action, cancel(what), what);
				case "reschedule" -> result(action, reschedule(what), what);
				case "trigger", "remove" -> throw refused("The action '" + action
						+ "' needs the name of a schedule in its JSON body, as in {\"schedule\": \"nightly-report\"}");
				default -> throw refused("There is no action '" + action + "'. " + ACTIONS);
			};
		}
		catch (IllegalArgumentException ex) {
			throw refused(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Who gives more than the action knows has something else in mind.
	 */
	private static void checkFields(String action, Target what) {
		Set<String> allowed = switch (action) {
			case "redrive" -> (what.id() != null) ? Set.of("id") : Set.of("queue", "type");
			case "cancel" -> (what.id() != null) ? Set.of("id")
					: (what.key() != null) ? Set.of("type", "key") : Set.of("queue", "type", "all");
			case "pause", "resume" -> Set.of("queue");
			case "reschedule" -> Set.of("id", "at");
			default -> what.fields();
		};
		Set<String> others = new TreeSet<>(what.fields());
		others.removeAll(allowed);
		if (!others.isEmpty()) {
			throw refused("The action '" + action + "' takes no " + String.join(" and no ", others) + " here, only "
					+ String.join(", ", new TreeSet<>(allowed)));
		}
	}

	/**
	 * A queue may be paused before it has jobs, so this is no mistake for certain.
	 */
	private JobQueueEndpoint.Result pause(String name) {
		NewJob.of("any").queue(name);
		boolean known = this.known.contains(name);
		this.queue.pause(name);
		return new JobQueueEndpoint.Result("pause", 1,
				known ? null : "No queue '" + name + "' was known; it is paused from now on");
	}

	private JobQueueEndpoint.Result resume(String name) {
		NewJob.of("any").queue(name);
		if (!this.known.contains(name)) {
			return new JobQueueEndpoint.Result("resume", 0, noQueue(name));
		}
		this.queue.resume(name);
		return new JobQueueEndpoint.Result("resume", 1, null);
	}

	private int redrive(Target what) {
		if (what.id() != null) {
			return this.queue.redrive(number(what.id(), ID_RULE)) ? 1 : 0;
		}
		if (what.queue() == null && what.type() == null) {
			throw refused("Give the id of a dead job, or a queue, a type, or both");
		}
		return this.queue.redrive(what.queue(), what.type());
	}

	private int cancel(Target what) {
		if (what.id() != null) {
			return this.queue.cancel(number(what.id(), ID_RULE)) ? 1 : 0;
		}
		if (what.key() != null) {
			return this.queue.cancelByKey(required("type", what.type()), what.key()) ? 1 : 0;
		}
		if (what.queue() == null && what.type() == null) {
			throw refused("Give the id of a job, or a type and a key, or a queue, a type, or both");
		}
		if (!Boolean.parseBoolean(what.all())) {
			// A mistyped name of another value must not cancel more than was meant.
			throw refused("To cancel all jobs of this queue or type, running ones too, add \"all\": true");
		}
		return this.queue.cancelAll(what.queue(), what.type());
	}

	private int reschedule(Target what) {
		long id = number(required("id", what.id()), ID_RULE);
		return this.queue.reschedule(id, time(required("at", what.at()))) ? 1 : 0;
	}

	private JobQueueEndpoint.Result result(String action, int changed, Target what) {
		String note = null;
		if (changed == 0 && what.queue() != null && !this.known.contains(what.queue())) {
			note = noQueue(what.queue());
		}
		else if (changed == 0 && what.type() != null && !this.queues.types().contains(what.type())) {
			note = "There is no job type '" + what.type() + "': no worker has ever had a handler for it";
		}
		else if (changed == 0 && !action.equals("redrive") && mayRunInRowLock(what)) {
			note = "A job that runs in a queue of the mode row-lock can be neither cancelled nor rescheduled";
		}
		return new JobQueueEndpoint.Result(action, changed, note);
	}

	private boolean mayRunInRowLock(Target what) {
		Set<String> rowLock = this.queues.rowLock();
		if (rowLock.isEmpty() || what.id() == null) {
			return what.queue() != null && rowLock.contains(what.queue());
		}
		return this.queue.find(number(what.id(), ID_RULE))
			.filter((job) -> job.state() == JobState.RUNNING && rowLock.contains(job.queue()))
			.isPresent();
	}

	private static String noQueue(String name) {
		return "There is no queue '" + name + "' now: no live job is in it, no worker names it, and it is not paused";
	}

	private static <T> T required(String name, @Nullable T value) {
		if (value == null) {
			throw refused("This action needs '" + name + "' in its JSON body, as in {\"" + name + "\": ...}");
		}
		return value;
	}

	/**
	 * Reads the number of a page.
	 */
	static long page(@Nullable String text) {
		String rule = "A page is a number from 0 to 1000000";
		long page = (text != null) ? number(text, rule) : 0;
		if (page < 0 || page > 1_000_000) {
			throw refused(rule);
		}
		return page;
	}

	/**
	 * Reads a number.
	 * @throws InvalidEndpointRequestException if it is none, with the rule
	 */
	static long number(String text, String rule) {
		return read(() -> Long.parseLong(text), rule);
	}

	private static Instant time(String text) {
		return read(() -> Instant.parse(text), "A time is written as 2026-12-31T23:59:00Z");
	}

	private static <T> T read(Supplier<T> value, String rule) {
		try {
			return value.get();
		}
		catch (NumberFormatException | DateTimeException ex) {
			throw refused(rule);
		}
	}

	private static InvalidEndpointRequestException refused(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

	/**
	 * To what something is done. What is null was not given.
	 */
	record Target(@Nullable String id, @Nullable String queue, @Nullable String type, @Nullable String key,
			@Nullable String at, @Nullable String all) {

		Set<String> fields() {
			Map<String, @Nullable String> given = new TreeMap<>();
			given.put("id", this.id);
			given.put("queue", this.queue);
			given.put("type", this.type);
			given.put("key", this.key);
			given.put("at", this.at);
			given.put("all", this.all);
			given.values().removeIf(Objects::isNull);
			return given.keySet();
		}

	}

}
