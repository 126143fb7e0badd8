package io.jobqueue.store;

import java.time.Duration;
import java.util.List;

import io.jobqueue.AuditEntry;
import org.jspecify.annotations.Nullable;

/**
 * Where is written what operators do. Each method is a transaction of its own.
 */
public interface AuditStore {

	/**
	 * Writes that something is begun.
	 * @param what by whom, from where, and what
	 * @return the entry's number
	 */
	long begin(What what);

	/**
	 * Writes what has come of it.
	 * @param id the entry's number
	 * @param outcome what has come of it
	 * @param changed how much was changed; null if that is not known
	 * @param problem why it failed; empty if it did not
	 */
	void end(long id, AuditEntry.Outcome outcome, @Nullable Long changed, String problem);

	/**
	 * Lists entries, the newest first.
	 * @param before the number from which on entries are left out; null for none
	 * @param limit how many at most
	 * @return the entries
	 */
	List<AuditEntry> list(@Nullable Long before, int limit);

	/**
	 * Deletes the oldest entries, and operations that have ended, as far as they are
	 * older than a time.
	 * @param age the time
	 * @param limit how many of each at most
	 * @return how many entries were deleted
	 */
	int prune(Duration age, int limit);

	/**
	 * What somebody is about to do.
	 *
	 * @param actor who; may be empty
	 * @param source from where
	 * @param action what
	 * @param target to what
	 */
	record What(String actor, AuditEntry.Source source, String action, String target) {

		static final int MAX_NAME = 255;

		private static final int MAX_TARGET = 500;

		public What {
			actor = Texts.shortened(actor, MAX_NAME);
			target = Texts.shortened(target, MAX_TARGET);
		}

	}

}
