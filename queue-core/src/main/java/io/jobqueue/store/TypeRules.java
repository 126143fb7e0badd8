package io.jobqueue.store;

import io.jobqueue.OnDead;
import io.jobqueue.retry.RetryPolicy;

/**
 * What the handler of a type says of its jobs, for nodes that have none.
 *
 * @param retry when they are to be tried again
 * @param onDead what the death of one means for the later jobs of its order key
 */
public record TypeRules(RetryPolicy retry, OnDead onDead) {

	/**
	 * A type whose jobs keep no others from running.
	 * @param retry when they are to be tried again
	 */
	public TypeRules(RetryPolicy retry) {
		this(retry, OnDead.CONTINUE);
	}

}
