package io.jobqueue.database;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The queue's statements as the database reads them.
 */
final class StatementTexts {

	private final Dialect dialect;

	private final TestClock clock;

	private final Map<String, String> constants;

	StatementTexts(Dialect dialect) {
		this(dialect, TestClock.OF_DATABASE, new ConcurrentHashMap<>());
	}

	private StatementTexts(Dialect dialect, TestClock clock, Map<String, String> constants) {
		this.dialect = dialect;
		this.clock = clock;
		this.constants = constants;
	}

	/**
	 * The same by another clock.
	 */
	StatementTexts by(TestClock other) {
		return new StatementTexts(this.dialect, other, this.constants);
	}

	boolean areByClockOfDatabase() {
		return this.clock.isOfDatabase();
	}

	/**
	 * Completes a statement that is written anew each time.
	 */
	String expand(String statement) {
		return this.dialect.expand(statement, this.clock);
	}

	/**
	 * Completes a statement that is always the same.
	 */
	String constant(String statement) {
		return areByClockOfDatabase()
				? this.constants.computeIfAbsent(statement, (text) -> this.dialect.expand(text, TestClock.OF_DATABASE))
				: expand(statement);
	}

}
