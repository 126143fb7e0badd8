package io.jobqueue.chaos;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.worker.WorkerSettings;

/**
 * How a worker process works, as its command line says it.
 *
 * @param values the arguments by their names
 */
record WorkerArguments(Map<String, String> values) {

	static final Duration SESSION_TIMEOUT = Duration.ofSeconds(3);

	static final int ATTEMPTS_BY_DEFAULT = 3;

	private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

	private static final Duration GRACE = Duration.ofSeconds(10);

	private static final String URL = "url";

	private static final String USERNAME = "username";

	private static final String PASSWORD = "password";

	private static final String NAME = "name";

	private static final String PREFETCH = "prefetch";

	private static final String QUEUE = "queue";

	private static final String MUTANT = "mutant";

	private static final String ATTEMPTS = "attempts";

	private static final String BACKOFF = "backoff";

	private static final String SESSION = "session";

	private static final String CLAIM = "claim";

	private static final int SLOTS = 4;

	static final int POOL = 10;

	WorkerArguments(Map<String, String> values) {
		this.values = Map.copyOf(values);
	}

	/** One that is not broken and serves every queue. */
	static WorkerArguments named(String name) {
		return new WorkerArguments(Map.of(NAME, name, QUEUE, "", MUTANT, Mutant.NONE.name(), ATTEMPTS,
				Integer.toString(ATTEMPTS_BY_DEFAULT), BACKOFF, "200", SESSION,
				Long.toString(SESSION_TIMEOUT.toMillis()), CLAIM, ClaimStrategy.SKIP_LOCKED.name()));
	}

	static WorkerArguments parse(String[] commandLine) {
		return new WorkerArguments(Arrays.stream(commandLine)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1])));
	}

	List<String> toCommandLine() {
		return this.values.entrySet().stream().map((entry) -> entry.getKey() + "=" + entry.getValue()).toList();
	}

	private WorkerArguments with(String name, String value) {
		Map<String, String> changed = new TreeMap<>(this.values);
		changed.put(name, value);
		return new WorkerArguments(changed);
	}

	private String get(String name) {
		return this.values.get(name);
	}

	/** Where the database is, usually over a wire. */
	WorkerArguments withUrl(String url) {
		return with(URL, url);
	}

	/** Whose database it is. */
	WorkerArguments withUser(String name, String password) {
		return with(USERNAME, name).with(PASSWORD, password);
	}

	/** How many jobs it holds at most beyond those that run. */
	WorkerArguments withPrefetch(int prefetch) {
		return with(PREFETCH, Integer.toString(prefetch));
	}

	/** How often its handlers try, and how long they wait in between. */
	WorkerArguments withRetry(int attempts, Duration backoff) {
		return with(ATTEMPTS, Integer.toString(attempts)).with(BACKOFF, Long.toString(backoff.toMillis()));
	}

	/** How long its session lives without a heartbeat. */
	WorkerArguments withSessionTimeout(Duration timeout) {
		return with(SESSION, Long.toString(timeout.toMillis()));
	}

	/** The same under another name. */
	WorkerArguments renamed(String name) {
		return with(NAME, name);
	}

	/** How it claims. */
	WorkerArguments claimingBy(ClaimStrategy strategy) {
		return with(CLAIM, strategy.name());
	}

	/** It serves just this queue. */
	WorkerArguments serving(String queue) {
		return with(QUEUE, queue);
	}

	/** It is broken on purpose. */
	WorkerArguments mutant(Mutant mutant) {
		return with(MUTANT, mutant.name());
	}

	String url() {
		return get(URL);
	}

	String username() {
		return get(USERNAME);
	}

	String password() {
		return get(PASSWORD);
	}

	String name() {
		return get(NAME);
	}

	RetryPolicy retry() {
		return retry(Integer.parseInt(get(ATTEMPTS)));
	}

	/** That of a handler that is not to try more often than usual. */
	RetryPolicy retryAsUsual() {
		return retry(ATTEMPTS_BY_DEFAULT);
	}

	private RetryPolicy retry(int attempts) {
		Duration backoff = Duration.ofMillis(Long.parseLong(get(BACKOFF)));
		return new RetryPolicy(attempts, new BackoffPolicy(backoff, 1, backoff, 0.2), List.of());
	}

	ClaimStrategy claim() {
		return ClaimStrategy.valueOf(get(CLAIM));
	}

	Mutant mutant() {
		return Mutant.valueOf(get(MUTANT));
	}

	WorkerSettings settings() {
		Duration session = Duration.ofMillis(Long.parseLong(get(SESSION)));
		WorkerSettings.Slots slots = WorkerSettings.Slots.DEFAULT;
		return new WorkerSettings(name(), get(QUEUE).isEmpty() ? List.of() : List.of(get(QUEUE)),
				new WorkerSettings.Slots(SLOTS, Integer.parseInt(get(PREFETCH)), false, slots.flushSize(),
						slots.flushDelay()),
				new WorkerSettings.Timing(POLL_INTERVAL, session.dividedBy(3), session, GRACE));
	}

}
