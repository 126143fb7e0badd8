package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;

/**
 * What claims promise, by compare-and-set.
 */
class ClaimByCompareAndSetTests extends ClaimTests {

	@Override
	StoreSettings settings() {
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);
	}

}
