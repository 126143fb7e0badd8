package io.jobqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One thing that an operator has done. It is written before it is done, and again when
 * its outcome is known.
 *
 * @param id its number; later entries have higher ones
 * @param at when it was begun, by the database's clock
 * @param actor who did it, as {@link CurrentActor} says; empty if nobody is known
 * @param source from where
 * @param action what was done, such as {@code pause}
 * @param target to what, such as {@code queue mail}
 * @param changed how much was changed; null if that is not known
 * @param outcome what came of it
 * @param problem why it failed; empty if it did not
 */
public record AuditEntry(long id, Instant at, String actor, Source source, String action, String target,
		@Nullable Long changed, Outcome outcome, String problem) {

	/**
	 * From where something is done.
	 */
	public enum Source {

		/** A call of the application's code. */
		API,

		/** The Actuator endpoint. */
		ENDPOINT,

		/** The dashboard. */
		PAGE

	}

	/**
	 * What has come of something.
	 */
	public enum Outcome {

		/** It goes on, or its outcome is not known: the process may have died. */
		BEGUN,

		/** It is done. */
		DONE,

		/** It has failed. */
		FAILED

	}

}
