package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.TestDatabase;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What must not happen however threads meet, by update-limit.
 */
class RaceByUpdateLimitTests extends RaceTests {

	@Override
	StoreSettings settings() {
		assumeFalse(this.testDatabase.isH2(), "H2 ignores the order of an UPDATE");
		assumeTrue(this.testDatabase == TestDatabase.MYSQL || Boolean.getBoolean("jobqueue.chaos.full"),
				"the other databases have their turn with -Pchaos");
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.UPDATE_LIMIT);
	}

}
