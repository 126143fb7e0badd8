package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Thorough;

/**
 * What must not happen however threads meet, by compare-and-set.
 */
class RaceByCompareAndSetTests extends RaceTests {

	@Override
	StoreSettings settings() {
		Thorough.only();
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);
	}

}
