package io.jobqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Something that is done to many jobs, some at a time, by any node that has a worker.
 *
 * @param id its number
 * @param action what is done
 * @param filter to which jobs, as far as they were there when it was begun
 * @param state how it stands
 * @param expected how many jobs there were when it was begun
 * @param changed how many jobs it has changed
 * @param actor who has begun it, as {@link CurrentActor} says; empty if nobody is known
 * @param startedAt when it was begun, by the database's clock
 * @param endedAt when it has ended; null if it goes on
 * @param problem why it has failed, or what it has left; empty for nothing
 */
public record Operation(long id, Action action, JobFilter filter, State state, JobCount expected, long changed,
		String actor, Instant startedAt, @Nullable Instant endedAt, String problem) {

	/**
	 * What is done.
	 */
	public enum Action {

		/** Dead jobs become ready. */
		REDRIVE,

		/** Live jobs are cancelled. */
		CANCEL

	}

	/**
	 * How it stands.
	 */
	public enum State {

		/** It goes on, as soon as a node has a worker. */
		RUNNING,

		/** All jobs were seen to. */
		DONE,

		/** Somebody has stopped it. What was done stays done. */
		STOPPED

	}

}
