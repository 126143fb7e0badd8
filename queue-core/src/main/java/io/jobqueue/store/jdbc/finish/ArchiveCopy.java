package io.jobqueue.store.jdbc.finish;

import java.util.Map;

import io.jobqueue.store.jdbc.table.JobColumns;

/**
 * Copies rows to the archive.
 *
 * @param asItIs copies times that do not exist as they are (MariaDB, lenient sessions) or
 * is refused because of them (MySQL). A job that was claimed has none, unless somebody
 * has changed its row since
 * @param mended replaces such times, which costs the server a third more
 */
record ArchiveCopy(String asItIs, String mended) {

	private static final String INSERT = """
			INSERT INTO jobqueue_archive (id, state, finished_at, %s)
			SELECT id, :state, {now}, %s
			FROM jobqueue_job{byPrimary}
			%s""";

	private static final String NAMES = JobColumns.names(JobColumns.ARCHIVED);

	static ArchiveCopy of(String where) {
		return of(where, Map.of());
	}

	/** Some columns have other values. */
	static ArchiveCopy of(String where, Map<String, String> others) {
		return new ArchiveCopy(INSERT.formatted(NAMES, JobColumns.asTheyAre(JobColumns.ARCHIVED, others), where),
				INSERT.formatted(NAMES, JobColumns.values(JobColumns.ARCHIVED, others), where));
	}

}
