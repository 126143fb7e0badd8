package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;

/**
 * Keeps why an attempt failed, under the fence of its claim.
 */
final class StoreErrors {

	private static final String INSERT = """
			INSERT INTO jobqueue_error (job_id, fence, attempt, failed_at, error_type, message, stack_trace)
			VALUES (?, ?, ?, {now}, ?, ?, ?)""";

	private static final String DELETE = """
			DELETE FROM jobqueue_error WHERE job_id = ? AND fence = ?""";

	private final Database database;

	private final ReusedIds reusedIds;

	StoreErrors(Database database) {
		this.database = database;
		this.reusedIds = new ReusedIds(database);
	}

	void store(List<Entry> entries) {
		if (entries.isEmpty()) {
			return;
		}
		this.reusedIds.write(entries.stream().map((entry) -> entry.claim().id()).toList(),
				() -> batch(INSERT, entries.stream().map(Entry::values).toList()),
				() -> batch(DELETE, entries.stream().map(Entry::key).toList()));
	}

	private void batch(String statement, List<Object[]> values) {
		this.database.template().batchUpdate(this.database.constant(statement), values);
	}

	/**
	 * A failure and the claim that ended by it.
	 *
	 * @param claim the claim
	 * @param failure the failure
	 */
	record Entry(Claim claim, Failure failure) {

		Object[] key() {
			return new Object[] { this.claim.id(), this.claim.fence() };
		}

		Object[] values() {
			return new Object[] { this.claim.id(), this.claim.fence(), this.failure.attempt(), this.failure.type(),
					this.failure.message(), this.failure.stackTrace() };
		}

	}

}
