package io.jobqueue.store.jdbc;

import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.claim.TakeJobs;

/**
 * What claims promise, on every database by the strategy of those that lock more than
 * they read.
 */
class ClaimByIdTests extends ClaimTests {

	@Override
	JdbcJobStore store(StoreSettings settings) {
		return new JdbcJobStore(this.database, settings, TakeJobs.lockingById(this.database, settings));
	}

}
