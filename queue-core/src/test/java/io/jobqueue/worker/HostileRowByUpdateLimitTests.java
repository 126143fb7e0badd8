package io.jobqueue.worker;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Thorough;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Rows that any program may insert, claimed by update-limit.
 */
class HostileRowByUpdateLimitTests extends HostileRowTests {

	@Override
	StoreSettings settings() {
		assumeFalse(this.testDatabase.isH2(), "H2 ignores the order of an UPDATE");
		Thorough.only();
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.UPDATE_LIMIT);
	}

}
