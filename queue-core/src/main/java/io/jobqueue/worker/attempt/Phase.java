package io.jobqueue.worker.attempt;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where an attempt is between its claim and its result.
 */
enum Phase {

	WAITING, DROPPED, RUNNING, INTERRUPTING, INTERRUPTED, FINISHING,

	/** In a chunk, between two calls: nobody interrupts it, and its time stands still. */
	PARKED,

	HANDED_OVER, ABANDONED;

	/** Its thread may be at work. */
	static final Set<Phase> AT_WORK = EnumSet.of(RUNNING, INTERRUPTING, INTERRUPTED, FINISHING, PARKED);

}
