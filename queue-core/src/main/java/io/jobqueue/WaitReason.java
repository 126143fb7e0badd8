package io.jobqueue;

import org.jspecify.annotations.Nullable;

/**
 * Why a job waits for others.
 *
 * @param kind what it waits for
 * @param name the order key, or the name of the limit
 * @param jobId the job that it waits for, or that blocks its key; null if its key has
 * just become free, and for a limit
 */
public record WaitReason(Kind kind, String name, @Nullable Long jobId) {

	/**
	 * What a job may wait for.
	 */
	public enum Kind {

		/** An earlier job of its {@linkplain NewJob#orderKey(String) order key}. */
		ORDER,

		/** Its order key is blocked by the death of a job ({@link OnDead#BLOCK}). */
		BLOCKED,

		/** The {@linkplain Limit limit} of its type. */
		LIMIT

	}

}
