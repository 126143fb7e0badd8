package io.jobqueue.worker;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Thorough;

/**
 * Jobs that are claimed by compare-and-set.
 */
class SplitReadsByCompareAndSetTests extends SplitReadsTests {

	@Override
	StoreSettings settings() {
		Thorough.only();
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);
	}

}
