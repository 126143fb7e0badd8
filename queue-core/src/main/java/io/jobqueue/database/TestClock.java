package io.jobqueue.database;

import java.time.LocalDateTime;

import org.jspecify.annotations.Nullable;

/**
 * The queue's clock as a test has set it. Asked for each statement, on the thread that
 * runs it.
 */
public interface TestClock {

	/** The database's own clock. */
	TestClock OF_DATABASE = new TestClock() {

		@Override
		public long aheadMicros() {
			return 0;
		}

		@Override
		public @Nullable LocalDateTime fixed() {
			return null;
		}

	};

	/**
	 * By how much it is ahead of the database's.
	 * @return microseconds; 0 for not at all
	 */
	long aheadMicros();

	/**
	 * Where it stands still.
	 * @return the time, in UTC; null if it goes on
	 */
	@Nullable LocalDateTime fixed();

	/**
	 * Whether it is the database's own clock now.
	 * @return true if so
	 */
	default boolean isOfDatabase() {
		return aheadMicros() == 0 && fixed() == null;
	}

}
