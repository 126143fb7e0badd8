package io.jobqueue.worker;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Thorough;

/**
 * Rows that any program may insert, claimed by compare-and-set.
 */
class HostileRowByCompareAndSetTests extends HostileRowTests {

	@Override
	StoreSettings settings() {
		Thorough.only();
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);
	}

}
