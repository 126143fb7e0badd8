package io.jobqueue.store.jdbc.table;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The columns of a job, and what becomes of them on its ways between the tables. Tests
 * compare them with the tables, so that a new column cannot be forgotten here.
 */
public final class JobColumns {

	/** What goes to the archive with a job that has ended. */
	public static final List<String> ARCHIVED = List.of("queue", "type", "priority", "available_at", "fence", "attempt",
			"max_attempts", "timeout_ms", "crashes", "session_id", "claimed_at", "enqueued_at", "scheduled_for",
			"order_key", "limit_key", "trace", "large_payload", "payload");

	/** What comes back from there with a job that is redriven. The rest begins anew. */
	public static final List<String> REDRIVEN = List.of("queue", "type", "priority", "max_attempts", "timeout_ms",
			"enqueued_at", "scheduled_for", "order_key", "limit_key", "trace", "large_payload", "payload");

	/** What only a live job has. */
	private static final List<String> LIVE_ONLY = List.of("id", "state", "type_id", "outages", "held_limit",
			"deadline_at", "expires_at");

	/** What an archived job has beside those. */
	private static final List<String> ARCHIVE_ONLY = List.of("id", "state", "finished_at", "call_id");

	/** May be days that do not exist, which another program has written. */
	private static final Set<String> TIMES = Set.of("available_at", "claimed_at", "enqueued_at", "scheduled_for");

	private JobColumns() {
	}

	/**
	 * All columns of the table of live jobs.
	 */
	public static List<String> live() {
		return Stream.of(LIVE_ONLY, ARCHIVED).flatMap(List::stream).toList();
	}

	/**
	 * All columns of the archive.
	 */
	public static List<String> archive() {
		return Stream.of(ARCHIVE_ONLY, ARCHIVED).flatMap(List::stream).toList();
	}

	/**
	 * A list of columns as it stands in SQL.
	 */
	public static String names(Collection<String> columns) {
		return String.join(", ", columns);
	}

	/**
	 * The same as a list of what to read.
	 * @param others what to read in place of some columns
	 */
	public static String asTheyAre(Collection<String> columns, Map<String, String> others) {
		return columns.stream().map((column) -> others.getOrDefault(column, column)).collect(Collectors.joining(", "));
	}

	/**
	 * The same, but times that do not exist are replaced.
	 * @param others what to read in place of some columns
	 */
	public static String values(Collection<String> columns, Map<String, String> others) {
		return columns.stream()
			.map((column) -> others.getOrDefault(column, TIMES.contains(column) ? "{readable " + column + "}" : column))
			.collect(Collectors.joining(", "));
	}

}
