package io.jobqueue;

/**
 * What the death of a job means for the later jobs of its
 * {@linkplain NewJob#orderKey(String) order key}.
 */
public enum OnDead {

	/** The next one runs. */
	CONTINUE,

	/**
	 * None of them runs until the dead one is redriven, or the key is
	 * {@linkplain JobQueue#unblock(String) unblocked}.
	 */
	BLOCK,

	/**
	 * Those that wait at that time become dead too, without having run; later ones run.
	 * Redriven, they run in their order.
	 */
	PARK

}
