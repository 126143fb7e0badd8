package io.jobqueue.test;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What is run for each database only with {@code -Pchaos}, since it takes long and the
 * same is run in another way for each of them.
 */
public final class Thorough {

	private static final boolean ON = Boolean.getBoolean("jobqueue.chaos.full");

	private Thorough() {
	}

	/**
	 * Whether everything is to be run.
	 */
	public static boolean isOn() {
		return ON;
	}

	/**
	 * Skips a test, unless everything is to be run.
	 */
	public static void only() {
		assumeTrue(ON, "with -Pchaos only");
	}

	/**
	 * Skips a test on H2's MySQL mode, unless everything is to be run: only statements
	 * differ there, and the tests of the store run them all.
	 * @param current the database
	 */
	public static void onceOnH2(TestDatabase current) {
		assumeTrue(ON || current != TestDatabase.H2_MYSQL_MODE, "in H2's MySQL mode with -Pchaos only");
	}

	/**
	 * Skips a test on MariaDB, unless everything is to be run: what a worker does by
	 * itself does not depend on it, and the tests of the store run all statements there.
	 * @param current the database
	 */
	public static void notOnMariaDb(TestDatabase current) {
		assumeTrue(ON || current != TestDatabase.MARIADB, "on MariaDB with -Pchaos only");
	}

	/**
	 * Skips a test on all databases but MySQL, unless everything is to be run.
	 * @param current the database
	 */
	public static void unlessOnMySql(TestDatabase current) {
		assumeTrue(ON || current == TestDatabase.MYSQL, "on other databases than MySQL with -Pchaos only");
	}

}
