package io.jobqueue.store.jdbc.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.jobqueue.database.Database;

import org.jspecify.annotations.Nullable;

/**
 * Live jobs, or live and archived ones together, by their ids, the highest first.
 */
final class JobsByNumber implements Entries {

	/** The primary key is read backwards. */
	private static final String ARCHIVED = """
			SELECT $columns, {readable enqueued_at} AS entry_at
			FROM jobqueue_archive{byPrimary}
			WHERE id <= :last
			ORDER BY id DESC
			LIMIT :limit""".replace("$columns", Entry.COLUMNS);

	private static final String LIVE = Entry.live("WHERE id <= :last ORDER BY id DESC LIMIT :limit");

	static final Comparator<Entry> HIGHEST_FIRST = Comparator.comparingLong((Entry entry) -> entry.place().id())
		.reversed();

	private final Database database;

	private final boolean archived;

	/**
	 * Describes the list.
	 * @param database the database
	 * @param archived whether archived jobs are in it
	 */
	JobsByNumber(Database database, boolean archived) {
		this.database = database;
		this.archived = archived;
	}

	@Override
	public boolean byTime() {
		return false;
	}

	@Override
	public List<Entry> read(@Nullable Place after, int limit) {
		if (after != null && after.id() == Long.MIN_VALUE) {
			return List.of();
		}
		long last = (after != null) ? after.id() - 1 : Long.MAX_VALUE;
		List<Entry> live = read(LIVE, last, limit);
		if (!this.archived) {
			return live;
		}
		List<Entry> all = new ArrayList<>(live);
		// A job on its way to the archive between the two reads is taken once.
		Set<Long> seen = new HashSet<>();
		live.forEach((entry) -> seen.add(entry.place().id()));
		read(ARCHIVED, last, limit).stream().filter((entry) -> seen.add(entry.place().id())).forEach(all::add);
		all.sort(HIGHEST_FIRST);
		return (all.size() > limit) ? List.copyOf(all.subList(0, limit)) : all;
	}

	private List<Entry> read(String statement, long last, int limit) {
		return this.database.sql(statement)
			.param("last", last)
			.param("limit", limit)
			.query((row, number) -> Entry.read(row, this.database.dialect(), false))
			.list()
			.stream()
			.sorted(HIGHEST_FIRST)
			.toList();
	}

}
