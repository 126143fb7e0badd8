package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;

/**
 * Claims that follow each other closely, by compare-and-set.
 */
class ResumedClaimByCompareAndSetTests extends ResumedClaimTests {

	@Override
	StoreSettings settings() {
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);
	}

}
