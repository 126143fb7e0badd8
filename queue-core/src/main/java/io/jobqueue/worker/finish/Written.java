package io.jobqueue.worker.finish;

import java.util.Set;

import io.jobqueue.store.Claim;

/**
 * What came of one commit.
 */
final class Written {

	boolean certain;

	/** The claims for which nothing was written: not current any more, or locked. */
	Set<Claim> notWritten = Set.of();

	/** Those of them that are locked. */
	Set<Claim> locked = Set.of();

	Written(boolean certain) {
		this.certain = certain;
	}

}
