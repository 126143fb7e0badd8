package io.jobqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.jobqueue.Job;
import org.assertj.core.api.AbstractListAssert;
import org.assertj.core.api.ObjectAssert;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Assertions on jobs of one type that are enqueued. Each one keeps the jobs that it is
 * true of, for those that follow, and fails if there is none; the message shows the jobs
 * that come nearest. All that AssertJ has for lists is there too.
 */
public final class EnqueuedJobsAssert
		extends AbstractListAssert<EnqueuedJobsAssert, List<? extends Job>, Job, ObjectAssert<Job>> {

	private static final int MOST_SHOWN = 10;

	private static final JsonMapper JSON = new JsonMapper();

	private final String type;

	private final BiFunction<String, Object, String> payloads;

	private EnqueuedJobsAssert(String type, List<? extends Job> jobs, BiFunction<String, Object, String> payloads) {
		super(jobs, EnqueuedJobsAssert.class);
		this.type = type;
		this.payloads = payloads;
	}

	static EnqueuedJobsAssert of(String type, List<Job> all, BiFunction<String, Object, String> payloads) {
		List<Job> jobs = all.stream().filter((job) -> job.type().equals(type)).toList();
		if (jobs.isEmpty()) {
			Map<String, Long> others = all.stream()
				.collect(Collectors.groupingBy(Job::type, TreeMap::new, Collectors.counting()));
			throw new AssertionError("No '" + type + "' job is enqueued. "
					+ (others.isEmpty() ? "None of any other type is." : "Those of other types: " + others));
		}
		return new EnqueuedJobsAssert(type, jobs, payloads);
	}

	static void none(String type, List<Job> jobs) {
		if (!jobs.isEmpty()) {
			throw new AssertionError("No '" + type + "' job should be enqueued, but there are " + shown(jobs));
		}
	}

	/**
	 * Keeps the jobs with a payload; fails if there is none.
	 * @param payload the payload, which is written as an enqueue writes it, and compared
	 * as JSON if it is JSON; null for jobs without one
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert withPayload(@Nullable Object payload) {
		String written = (payload != null) ? this.payloads.apply(this.type, payload) : null;
		return with("the payload " + written, (job) -> isSame(written, job.payload()));
	}

	/**
	 * Keeps the jobs in a queue; fails if there is none.
	 * @param queue its name
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert inQueue(String queue) {
		return with("the queue '" + queue + "'", (job) -> job.queue().equals(queue));
	}

	/**
	 * Keeps the jobs with an order key; fails if there is none.
	 * @param orderKey the key
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert withOrderKey(String orderKey) {
		return with("the order key '" + orderKey + "'", (job) -> orderKey.equals(job.orderKey()));
	}

	/**
	 * Keeps the jobs with a limit key; fails if there is none.
	 * @param limitKey the key
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert withLimitKey(String limitKey) {
		return with("the limit key '" + limitKey + "'", (job) -> limitKey.equals(job.limitKey()));
	}

	/**
	 * Keeps the jobs of a priority; fails if there is none.
	 * @param priority the priority, from 0 to 9
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert withPriority(int priority) {
		return with("the priority " + priority, (job) -> job.priority() == priority);
	}

	/**
	 * Keeps the jobs that were enqueued with a delay; fails if there is none. Not for
	 * jobs with {@code availableAt}, nor after a retry.
	 * @param delay exactly the time from the enqueue to when the job may run
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert delayedBy(Duration delay) {
		return with("a delay of " + delay,
				(job) -> Duration.between(job.enqueuedAt(), job.availableAt()).equals(delay));
	}

	/**
	 * Keeps the jobs that may run from a time on; fails if there is none.
	 * @param time the time, which is stored with microseconds
	 * @return this, with those jobs
	 */
	public EnqueuedJobsAssert availableAt(Instant time) {
		return with("the time " + time,
				(job) -> Duration.between(job.availableAt(), time).abs().toNanos() < Duration.ofNanos(1_000).toNanos());
	}

	/**
	 * Fails unless exactly one job is left.
	 * @return this
	 */
	public EnqueuedJobsAssert once() {
		return hasSize(1);
	}

	/**
	 * Fails unless a number of jobs is left.
	 * @param count how many exactly
	 * @return this
	 */
	public EnqueuedJobsAssert times(int count) {
		return hasSize(count);
	}

	private EnqueuedJobsAssert with(String what, Predicate<Job> condition) {
		List<? extends Job> found = this.actual.stream().filter(condition).toList();
		if (found.isEmpty()) {
			throw new AssertionError(
					"No '" + this.type + "' job with " + what + " is enqueued. Those nearest:" + shown(this.actual));
		}
		return new EnqueuedJobsAssert(this.type, found, this.payloads);
	}

	private static boolean isSame(@Nullable String expected, @Nullable String stored) {
		if (expected == null || stored == null) {
			return expected == null && stored == null;
		}
		try {
			return expected.equals(stored) || JSON.readTree(expected).equals(JSON.readTree(stored));
		}
		catch (JacksonException ex) {
			// It is text of another format, and not the same.
			return false;
		}
	}

	private static String shown(List<? extends Job> jobs) {
		String more = (jobs.size() > MOST_SHOWN) ? "\n  and " + (jobs.size() - MOST_SHOWN) + " more" : "";
		return jobs.stream()
			.limit(MOST_SHOWN)
			.map((job) -> "\n  job " + job.id() + " in '" + job.queue() + "', available at " + job.availableAt()
					+ ((job.orderKey() != null) ? ", order key '" + job.orderKey() + "'" : "")
					+ ((job.limitKey() != null) ? ", limit key '" + job.limitKey() + "'" : "") + ": " + job.payload())
			.collect(Collectors.joining("", "", more));
	}

	@Override
	protected ObjectAssert<Job> toAssert(Job job, String description) {
		return new ObjectAssert<>(job).as(description);
	}

	@Override
	protected EnqueuedJobsAssert newAbstractIterableAssert(Iterable<? extends Job> jobs) {
		List<Job> list = new ArrayList<>();
		jobs.forEach(list::add);
		return new EnqueuedJobsAssert(this.type, list, this.payloads);
	}

}
