package io.jobqueue;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What operators have done: pauses, redrives, changes of limits and the like, whether by
 * the page, the endpoint or a call of the application. What the application does with
 * single jobs as part of its work, as a {@link JobQueue#cancel cancel} of one job, is not
 * written down.
 */
public interface AuditLog {

	/**
	 * Lists entries, the newest first.
	 * @param before the id of the last entry of the page before; null for the first page
	 * @param limit how many at most, from 1 to 1,000
	 * @return the entries
	 * @throws IllegalArgumentException if the limit is out of range
	 */
	List<AuditEntry> list(@Nullable Long before, int limit);

}
