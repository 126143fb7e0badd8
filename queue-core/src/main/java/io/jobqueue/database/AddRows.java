package io.jobqueue.database;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A statement that inserts rows, and adds those to what is there whose key is taken.
 *
 * @param table the table
 * @param key the columns of its primary key
 * @param sums columns that are added up
 * @param maxima columns of which the larger value is kept
 */
public record AddRows(String table, List<String> key, List<String> sums, List<String> maxima) {

	/**
	 * Makes the statement.
	 * @param dialect for which database
	 * @param source what is added, as {@code VALUES …} or {@code SELECT …}, with all
	 * columns in the order of {@link #columns()}
	 * @return the statement
	 */
	public String from(Dialect dialect, String source) {
		String columns = String.join(", ", columns());
		if (dialect == Dialect.H2) {
			return "MERGE INTO " + this.table + " USING (" + source + ") AS added (" + columns + ") ON ("
					+ list(this.key.stream(), (name) -> this.table + "." + name + " = added." + name, " AND ")
					+ ") WHEN MATCHED THEN UPDATE SET " + changes((name) -> "added." + name)
					+ " WHEN NOT MATCHED THEN INSERT (" + columns + ") VALUES ("
					+ list(columns().stream(), (name) -> "added." + name, ", ") + ")";
		}
		return "INSERT INTO " + this.table + " (" + columns + ") " + source + " ON DUPLICATE KEY UPDATE "
				+ changes((name) -> "VALUES(" + name + ")");
	}

	/**
	 * All columns.
	 * @return those of the key, then those that are added up, then the maxima
	 */
	public List<String> columns() {
		return Stream.of(this.key, this.sums, this.maxima).flatMap(List::stream).toList();
	}

	private String changes(Function<String, String> added) {
		return Stream
			.concat(this.sums.stream()
				.map((name) -> name + " = " + this.table + "." + name + " + " + added.apply(name)),
					this.maxima.stream()
						.map((name) -> name + " = GREATEST(" + this.table + "." + name + ", " + added.apply(name)
								+ ")"))
			.collect(Collectors.joining(", "));
	}

	private static String list(Stream<String> names, Function<String, String> each, String between) {
		return names.map(each).collect(Collectors.joining(between));
	}

}
