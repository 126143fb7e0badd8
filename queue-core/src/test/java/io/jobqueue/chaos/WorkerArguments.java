package io.jobqueue.chaos;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.worker.WorkerSettings;

/**
 * How a worker process works, as its command line says it.
 *
 * @param url the database, usually over a {@link Wire}
 * @param username whose database it is
 * @param password the user's password; may be empty
 * @param name the worker's name
 * @param pool how many connections it has
 * @param slots how many attempts it runs at once
 * @param prefetch how many jobs it holds beyond those at most
 * @param sessionTimeout how long its session lives without a heartbeat; a third of that
 * is the heartbeat interval
 * @param mutant how it is broken on purpose
 */
record WorkerArguments(String url, String username, String password, String name, int pool, int slots, int prefetch,
		Duration sessionTimeout, Mutant mutant) {

	static final Duration SESSION_TIMEOUT = Duration.ofSeconds(3);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

	private static final Duration GRACE = Duration.ofSeconds(10);

	WorkerArguments withUrl(String url) {
		return new WorkerArguments(url, this.username, this.password, this.name, this.pool, this.slots, this.prefetch,
				this.sessionTimeout, this.mutant);
	}

	WorkerArguments named(String name) {
		return new WorkerArguments(this.url, this.username, this.password, name, this.pool, this.slots, this.prefetch,
				this.sessionTimeout, this.mutant);
	}

	WorkerArguments slots(int slots, int prefetch) {
		return new WorkerArguments(this.url, this.username, this.password, this.name, this.pool, slots, prefetch,
				this.sessionTimeout, this.mutant);
	}

	WorkerArguments mutant(Mutant mutant) {
		return new WorkerArguments(this.url, this.username, this.password, this.name, this.pool, this.slots,
				this.prefetch, this.sessionTimeout, mutant);
	}

	List<String> toCommandLine() {
		return List.of("url=" + this.url, "username=" + this.username, "password=" + this.password, "name=" + this.name,
				"pool=" + this.pool, "slots=" + this.slots, "prefetch=" + this.prefetch,
				"session-timeout=" + this.sessionTimeout, "mutant=" + this.mutant);
	}

	static WorkerArguments parse(String[] commandLine) {
		Map<String, String> values = Arrays.stream(commandLine)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1]));
		return new WorkerArguments(values.get("url"), values.get("username"), values.get("password"),
				values.get("name"), Integer.parseInt(values.get("pool")), Integer.parseInt(values.get("slots")),
				Integer.parseInt(values.get("prefetch")), Duration.parse(values.get("session-timeout")),
				Mutant.valueOf(values.get("mutant")));
	}

	WorkerSettings settings() {
		WorkerSettings defaults = WorkerSettings.named(this.name);
		WorkerSettings.Slots slots = WorkerSettings.Slots.DEFAULT;
		return defaults
			.with(new WorkerSettings.Slots(this.slots, this.prefetch, false, slots.flushSize(), slots.flushDelay()))
			.with(new WorkerSettings.Timing(POLL_INTERVAL, this.sessionTimeout.dividedBy(3), this.sessionTimeout,
					GRACE));
	}

}
