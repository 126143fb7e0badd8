package io.jobqueue.store.jdbc;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.TestDatabase;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What must not happen however threads meet, by compare-and-set.
 */
class RaceByCompareAndSetTests extends RaceTests {

	@Override
	StoreSettings settings() {
		assumeTrue(this.testDatabase == TestDatabase.MYSQL || Boolean.getBoolean("jobqueue.chaos.full"),
				"the other databases have their turn with -Pchaos");
		return StoreSettings.DEFAULT.withClaim(ClaimStrategy.COMPARE_AND_SET);
	}

}
