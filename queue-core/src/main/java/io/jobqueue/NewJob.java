package io.jobqueue;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * A job to be enqueued. Immutable: every method returns a copy that differs in one point,
 * so that one can serve as the pattern of many.
 */
public final class NewJob {

	/** The queue of a job that names none. */
	public static final String DEFAULT_QUEUE = "default";

	/** The priority of a job that names none, as in JMS. */
	public static final int DEFAULT_PRIORITY = 4;

	private static final int MAX_KEY = 191;

	private static final Duration MAX_DURATION = Duration.ofDays(36500);

	private final String type;

	private final @Nullable Object payload;

	private final @Nullable Type payloadType;

	private String queue = DEFAULT_QUEUE;

	private int priority = DEFAULT_PRIORITY;

	private Duration delay = Duration.ZERO;

	private @Nullable Instant availableAt;

	private @Nullable String uniqueKey;

	private @Nullable String orderKey;

	private @Nullable String limitKey;

	private int maxAttempts;

	private Duration timeout = Duration.ZERO;

	private @Nullable Duration expiresAfter;

	private NewJob(String type, @Nullable Object payload, @Nullable Type payloadType) {
		this.type = JobNames.checked("type", type);
		this.payload = payload;
		this.payloadType = payloadType;
	}

	private NewJob(NewJob other) {
		this.type = other.type;
		this.payload = other.payload;
		this.payloadType = other.payloadType;
		this.queue = other.queue;
		this.priority = other.priority;
		this.delay = other.delay;
		this.availableAt = other.availableAt;
		this.uniqueKey = other.uniqueKey;
		this.orderKey = other.orderKey;
		this.limitKey = other.limitKey;
		this.maxAttempts = other.maxAttempts;
		this.timeout = other.timeout;
		this.expiresAfter = other.expiresAfter;
	}

	/**
	 * A job without a payload.
	 * @param type the job type, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @return the new job
	 * @throws IllegalArgumentException if the type breaks the rule
	 */
	public static NewJob of(String type) {
		return new NewJob(type, null, null);
	}

	/**
	 * A job with a payload.
	 * @param type the job type, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @param payload the payload, not null
	 * @return the new job
	 * @throws IllegalArgumentException if the type breaks the rule or the payload is null
	 */
	public static NewJob of(String type, Object payload) {
		return new NewJob(type, checkedPayload(type, payload), null);
	}

	/**
	 * A job with a payload whose class does not say all of its type, such as a list.
	 * Needed where the elements have type ids ({@code @JsonTypeInfo}) and this
	 * application has no handler of that job type; if it has one, the payload is written
	 * as what that expects.
	 * @param type the job type, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @param payload the payload, not null
	 * @param payloadType what the handler reads, as {@code new
	 * ParameterizedTypeReference<List<Shape>>() {}}
	 * @param <T> the payload's type
	 * @return the new job
	 * @throws IllegalArgumentException if the type breaks the rule or the payload is null
	 */
	public static <T> NewJob of(String type, T payload, ParameterizedTypeReference<T> payloadType) {
		return new NewJob(type, checkedPayload(type, payload), payloadType.getType());
	}

	private static Object checkedPayload(String type, @Nullable Object payload) {
		if (payload == null) {
			throw new IllegalArgumentException(
					"payload of a '" + type + "' job must not be null; a job without a payload is NewJob.of(type)");
		}
		return payload;
	}

	/**
	 * Chooses the queue; the default is {@value #DEFAULT_QUEUE}. A queue need not be
	 * created first.
	 * @param queue the queue's name, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @return a copy with that queue
	 * @throws IllegalArgumentException if the name breaks the rule
	 */
	public NewJob queue(String queue) {
		NewJob copy = new NewJob(this);
		copy.queue = JobNames.checked("queue", queue);
		return copy;
	}

	/**
	 * Chooses the priority; the default is {@value #DEFAULT_PRIORITY}.
	 * @param priority from 0, lowest, to 9, highest
	 * @return a copy with that priority
	 * @throws IllegalArgumentException if it is out of range
	 */
	public NewJob priority(int priority) {
		if (priority < 0 || priority > 9) {
			throw new IllegalArgumentException("priority must be from 0 to 9, but is " + priority);
		}
		NewJob copy = new NewJob(this);
		copy.priority = priority;
		return copy;
	}

	/**
	 * Lets the job start no earlier than this long after the database stores it. Replaces
	 * {@link #availableAt(Instant)}.
	 * @param delay not negative, at most 100 years; counted in microseconds
	 * @return a copy with that delay
	 * @throws IllegalArgumentException if it is out of range
	 */
	public NewJob delay(Duration delay) {
		NewJob copy = new NewJob(this);
		copy.delay = checked("delay", delay, Duration.ZERO);
		copy.availableAt = null;
		return copy;
	}

	/**
	 * Lets the job start no earlier than at this time, compared with the database's
	 * clock. Replaces {@link #delay(Duration)}.
	 * @param availableAt the time, from 1970 to the year 9000, cut to microseconds; one
	 * in the past means at once
	 * @return a copy with that time
	 * @throws IllegalArgumentException if it is out of range
	 */
	public NewJob availableAt(Instant availableAt) {
		if (availableAt == null || availableAt.isBefore(Instant.EPOCH)
				|| availableAt.isAfter(Instant.parse("9000-01-01T00:00:00Z"))) {
			throw new IllegalArgumentException("availableAt must be from 1970 to 9000, but is " + availableAt);
		}
		NewJob copy = new NewJob(this);
		copy.delay = Duration.ZERO;
		copy.availableAt = availableAt;
		return copy;
	}

	/**
	 * Makes the enqueue unique: where a job of the same type and key is live, or became
	 * available less than {@code jobqueue.unique-key-retention} ago, no job is added and
	 * the first one's id is returned. Dead and cancelled jobs keep their key for that
	 * time too.
	 * @param uniqueKey from 1 to 191 characters, not ending with a space; compared as it
	 * is, case included
	 * @return a copy with that key
	 * @throws IllegalArgumentException if it breaks these rules
	 */
	public NewJob uniqueKey(String uniqueKey) {
		NewJob copy = new NewJob(this);
		copy.uniqueKey = checkedKey("uniqueKey", uniqueKey);
		return copy;
	}

	/**
	 * Lets the job run after all earlier jobs of the same key have ended, whatever their
	 * types and queues: one of them at a time, on all nodes together. They run in the
	 * order in which they were committed if whoever enqueues them takes turns, as by a
	 * lock on the row that the key stands for; else in the order of their ids.
	 * <p>
	 * A job keeps its place while it is delayed, is tried again, or its queue is paused:
	 * the others wait for it. What a dead one means for them is said by
	 * {@link JobHandler#onDead()}.
	 * @param orderKey from 1 to 191 characters, not ending with a space; compared as it
	 * is, case included
	 * @return a copy with that key
	 * @throws IllegalArgumentException if it breaks these rules
	 */
	public NewJob orderKey(String orderKey) {
		NewJob copy = new NewJob(this);
		copy.orderKey = checkedKey("orderKey", orderKey);
		return copy;
	}

	/**
	 * Gives the job an allowance of its type's {@linkplain Limit limit} that it shares
	 * with the jobs of the same key only. All jobs without a key share one. Nothing
	 * happens if the type has no limit.
	 * @param limitKey from 1 to 191 characters, not ending with a space; compared as it
	 * is, case included
	 * @return a copy with that key
	 * @throws IllegalArgumentException if it breaks these rules
	 */
	public NewJob limitKey(String limitKey) {
		NewJob copy = new NewJob(this);
		copy.limitKey = checkedKey("limitKey", limitKey);
		return copy;
	}

	private static String checkedKey(String what, @Nullable String key) {
		if (key == null || key.isEmpty() || key.length() > MAX_KEY) {
			throw new IllegalArgumentException(what + " must have from 1 to " + MAX_KEY + " characters, but has "
					+ ((key != null) ? key.length() : "none: it is null"));
		}
		if (key.endsWith(" ")) {
			// MySQL compares VARCHAR under PAD SPACE collations without trailing spaces.
			throw new IllegalArgumentException(what + " must not end with a space: '" + key + "'");
		}
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(key)) {
			throw new IllegalArgumentException(what + " must not contain an unpaired surrogate (invalid UTF-16)");
		}
		return key;
	}

	/**
	 * Limits the attempts, the first included, whatever the handler says.
	 * @param maxAttempts at least 1
	 * @return a copy with that limit
	 * @throws IllegalArgumentException if it is less than 1
	 */
	public NewJob maxAttempts(int maxAttempts) {
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("maxAttempts must be at least 1, but is " + maxAttempts);
		}
		NewJob copy = new NewJob(this);
		copy.maxAttempts = maxAttempts;
		return copy;
	}

	/**
	 * Limits the running time of each attempt, whatever the handler says.
	 * @param timeout at least one millisecond, at most 100 years; cut to milliseconds
	 * @return a copy with that timeout
	 * @throws IllegalArgumentException if it is out of range
	 */
	public NewJob timeout(Duration timeout) {
		NewJob copy = new NewJob(this);
		copy.timeout = checked("timeout", timeout, Duration.ofMillis(1));
		return copy;
	}

	/**
	 * Lets the job expire if no worker has claimed it this long after it was enqueued.
	 * The time waiting for a retry counts too: a job that expires before it is claimed
	 * again ends as {@link JobState#EXPIRED}. A claimed job may have to wait for a slot,
	 * and start a little later.
	 * @param expiresAfter at least one millisecond, at most 100 years
	 * @return a copy with that expiry
	 * @throws IllegalArgumentException if it is out of range
	 */
	public NewJob expiresAfter(Duration expiresAfter) {
		NewJob copy = new NewJob(this);
		copy.expiresAfter = checked("expiresAfter", expiresAfter, Duration.ofMillis(1));
		return copy;
	}

	private static Duration checked(String what, Duration value, Duration least) {
		if (value == null || value.compareTo(least) < 0 || value.compareTo(MAX_DURATION) > 0) {
			throw new IllegalArgumentException(
					what + " must be from " + least + " to " + MAX_DURATION + ", but is " + value);
		}
		return value;
	}

	/**
	 * The job type.
	 * @return the type
	 */
	public String type() {
		return this.type;
	}

	/**
	 * The payload.
	 * @return the payload, or null for none
	 */
	public @Nullable Object payload() {
		return this.payload;
	}

	/**
	 * What the payload is written as.
	 * @return the type that was given; null for what the handler of this application
	 * expects or, if there is none, the payload's class
	 */
	public @Nullable Type payloadType() {
		return this.payloadType;
	}

	/**
	 * The queue.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The priority.
	 * @return from 0 to 9
	 */
	public int priority() {
		return this.priority;
	}

	/**
	 * The delay.
	 * @return zero if there is none, or if a time is set
	 */
	public Duration delay() {
		return this.delay;
	}

	/**
	 * The earliest start as a time.
	 * @return the time, or null if it is given as a delay
	 */
	public @Nullable Instant availableAt() {
		return this.availableAt;
	}

	/**
	 * The unique key.
	 * @return the key, or null for none
	 */
	public @Nullable String uniqueKey() {
		return this.uniqueKey;
	}

	/**
	 * The order key.
	 * @return the key, or null for none
	 */
	public @Nullable String orderKey() {
		return this.orderKey;
	}

	/**
	 * The limit key.
	 * @return the key, or null for none
	 */
	public @Nullable String limitKey() {
		return this.limitKey;
	}

	/**
	 * The limit of attempts.
	 * @return 0 for the handler's own
	 */
	public int maxAttempts() {
		return this.maxAttempts;
	}

	/**
	 * The limit of an attempt's running time.
	 * @return zero for the handler's own
	 */
	public Duration timeout() {
		return this.timeout;
	}

	/**
	 * The expiry, counted from the enqueue.
	 * @return the expiry, or null for never
	 */
	public @Nullable Duration expiresAfter() {
		return this.expiresAfter;
	}

	@Override
	public String toString() {
		return "NewJob[type=" + this.type + ", queue=" + this.queue + ", priority=" + this.priority + "]";
	}

}
