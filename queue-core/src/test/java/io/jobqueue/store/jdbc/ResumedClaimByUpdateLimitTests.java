package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Claims that follow each other closely, by update-limit.
 */
class ResumedClaimByUpdateLimitTests extends ResumedClaimTests {

	@Override
	StoreSettings settings() {
		assumeFalse(this.testDatabase.isH2(), "H2 ignores the order of an UPDATE");
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.UPDATE_LIMIT);
	}

}
