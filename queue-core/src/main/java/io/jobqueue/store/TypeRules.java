package io.jobqueue.store;

import io.jobqueue.OnDead;
import io.jobqueue.retry.RetryPolicy;

/**
 * What the handler of a type says of its jobs, for nodes that have none.
 *
 * @param retry when they are to be tried again
 * @param onDead what the death of one means for the later jobs of its order key
 * @param limit the name of their limit; empty for none
 */
public record TypeRules(RetryPolicy retry, OnDead onDead, String limit) {

	/**
	 * A type whose jobs keep no others from running, and have no limit.
	 * @param retry when they are to be tried again
	 */
	public TypeRules(RetryPolicy retry) {
		this(retry, OnDead.CONTINUE, "");
	}

}
