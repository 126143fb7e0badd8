package io.jobqueue.database;

import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where reads outside of transactions go. Behind a proxy that sends them to a replica,
 * they may miss what was committed before.
 */
public final class PlainReads {

	private static final Logger log = LoggerFactory.getLogger(PlainReads.class);

	private final AtomicBoolean late = new AtomicBoolean();

	/**
	 * Whether one has been seen to miss something.
	 */
	public boolean areLate() {
		return this.late.get();
	}

	/**
	 * Notes that one has missed something.
	 */
	public void seenLate() {
		if (this.late.compareAndSet(false, true)) {
			log.warn("A read outside of a transaction did not show what was committed before: it went to a server that "
					+ "lags behind, as with a proxy that sends reads elsewhere. The job queue reads in transactions from "
					+ "now on, which takes it five statements instead of one");
		}
	}

}
