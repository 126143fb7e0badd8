package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import io.jobqueue.test.Programs;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the tests of this package have in common. Without {@code -Pchaos} they are shorter
 * and fewer.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
abstract class ChaosTests {

	/** Whether everything is to be broken for as long as it takes. */
	static final boolean FULL = Boolean.getBoolean("jobqueue.chaos.full");

	/**
	 * How long each thread of an application pauses after each enqueue. Jobs are what a
	 * short run costs, and a worker has some at any time all the same.
	 */
	static final Duration PACE = Duration.ofMillis(FULL ? 20 : 50);

	private final Deque<AutoCloseable> parts = new ArrayDeque<>();

	Chaos chaos;

	@BeforeEach
	void begin(TestInfo test) {
		long seed = Long.getLong("jobqueue.chaos.seed", System.nanoTime());
		this.chaos = closedAtEnd(new Chaos(createSchema(), way(), nameOf(test), seed));
		System.out.println("CHAOS " + test.getDisplayName() + " (" + way() + "): -Djobqueue.chaos.seed=" + seed);
	}

	/** How jobs are kept from running twice. */
	Way way() {
		return Way.SKIP_LOCKED;
	}

	/** Cases of one test keep what they did apart. */
	private static String nameOf(TestInfo test) {
		String method = test.getTestMethod().orElseThrow().getName();
		String name = test.getDisplayName();
		return name.startsWith(method) ? method : (method + "-" + name).replaceAll("[^A-Za-z0-9]+", "-");
	}

	/** Makes the database of a test. */
	TestSchema createSchema() {
		require(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL.whyNot());
		return TestDatabase.MYSQL.create();
	}

	static void require(Programs program) {
		require(program.isThere(), program.whyNot());
	}

	/**
	 * What is not there skips a test, but not if everything is to be run.
	 */
	static void require(boolean isThere, String whyNot) {
		assumeTrue(isThere || FULL, whyNot);
		assertThat(isThere).as(whyNot).isTrue();
	}

	/**
	 * Has something closed after the test, after all that was made later.
	 */
	<T extends AutoCloseable> T closedAtEnd(T part) {
		this.parts.push(part);
		return part;
	}

	@AfterEach
	@Timeout(value = 5, unit = TimeUnit.MINUTES)
	void end() {
		Chaos.close(this.parts);
		this.parts.clear();
	}

}
