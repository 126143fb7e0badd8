package io.jobqueue.worker.finish;

import java.util.Set;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finished;

/**
 * What came of one commit.
 */
final class Written {

	boolean certain;

	/** The claims for which nothing was written: not current any more, or locked. */
	Set<Claim> notWritten = Set.of();

	/** Those of them that are locked. */
	Set<Claim> locked = Set.of();

	/** What has become of the order keys of acked jobs. */
	Finished.Keys keys = Finished.Keys.NONE;

	Written(boolean certain) {
		this.certain = certain;
	}

}
