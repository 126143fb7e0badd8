package io.jobqueue.database;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The queue's statements as the database reads them.
 */
final class StatementTexts {

	private final Dialect dialect;

	/** By how many microseconds the clock is moved; only tests move it. */
	private final LongSupplier aheadMicros;

	private final Map<String, String> constants;

	StatementTexts(Dialect dialect) {
		this(dialect, () -> 0, new ConcurrentHashMap<>());
	}

	private StatementTexts(Dialect dialect, LongSupplier aheadMicros, Map<String, String> constants) {
		this.dialect = dialect;
		this.aheadMicros = aheadMicros;
		this.constants = constants;
	}

	/**
	 * The same with the clock moved.
	 * @param aheadMicros tells by how many microseconds
	 */
	StatementTexts ahead(LongSupplier aheadMicros) {
		return new StatementTexts(this.dialect, aheadMicros, this.constants);
	}

	boolean isAhead() {
		return this.aheadMicros.getAsLong() != 0;
	}

	/**
	 * Completes a statement that is written anew each time.
	 */
	String expand(String statement) {
		return this.dialect.expand(statement, this.aheadMicros.getAsLong());
	}

	/**
	 * Completes a statement that is always the same.
	 */
	String constant(String statement) {
		return isAhead() ? expand(statement)
				: this.constants.computeIfAbsent(statement, (text) -> this.dialect.expand(text, 0));
	}

}
