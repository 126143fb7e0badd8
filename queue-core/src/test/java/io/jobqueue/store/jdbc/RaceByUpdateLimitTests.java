package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Thorough;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What must not happen however threads meet, by update-limit.
 */
class RaceByUpdateLimitTests extends RaceTests {

	@Override
	StoreSettings settings() {
		assumeFalse(this.testDatabase.isH2(), "H2 ignores the order of an UPDATE");
		Thorough.only();
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.UPDATE_LIMIT);
	}

}
