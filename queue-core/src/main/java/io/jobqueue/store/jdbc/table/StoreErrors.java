package io.jobqueue.store.jdbc.table;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;

/**
 * Keeps why an attempt failed, under the fence of its claim.
 */
public final class StoreErrors {

	private static final String INSERT = """
			INSERT INTO jobqueue_error (job_id, fence, attempt, failed_at, error_type, message, stack_trace)
			VALUES""";

	private static final String ROW = " (?, ?, ?, {now}, ?, ?, ?)";

	/**
	 * With the longest stack traces a statement is far from the size that a server may
	 * refuse.
	 */
	private static final int ROWS = 50;

	private static final String DELETE = """
			DELETE FROM jobqueue_error WHERE job_id = ? AND fence = ?""";

	private final Database database;

	private final ReusedIds reusedIds;

	public StoreErrors(Database database) {
		this.database = database;
		this.reusedIds = new ReusedIds(database);
	}

	public void store(List<Entry> entries) {
		if (entries.isEmpty()) {
			return;
		}
		this.reusedIds.write(entries.stream().map((entry) -> entry.claim().id()).toList(),
				() -> Chunks.of(entries, ROWS).forEach(this::insert), () -> entries.forEach(this::delete));
	}

	private void insert(List<Entry> entries) {
		String rows = String.join(",", Collections.nCopies(entries.size(), ROW));
		this.database.template()
			.update(this.database.constant(INSERT + rows), entries.stream().flatMap(Entry::values).toArray());
	}

	private void delete(Entry entry) {
		this.database.template().update(DELETE, entry.claim().id(), entry.claim().fence());
	}

	/**
	 * A failure and the claim that ended by it.
	 *
	 * @param claim the claim
	 * @param failure the failure
	 */
	public record Entry(Claim claim, Failure failure) {

		Stream<Object> values() {
			return Stream.of(this.claim.id(), this.claim.fence(), this.failure.attempt(), this.failure.type(),
					this.failure.message(), this.failure.stackTrace());
		}

	}

}
