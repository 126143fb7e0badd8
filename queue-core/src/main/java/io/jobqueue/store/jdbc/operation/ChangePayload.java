package io.jobqueue.store.jdbc.operation;

import java.util.List;
import java.util.Objects;

import io.jobqueue.database.Database;
import io.jobqueue.store.PayloadSize;
import io.jobqueue.store.jdbc.finish.RedriveJobs;
import io.jobqueue.store.jdbc.table.Belongings;
import io.jobqueue.store.jdbc.table.ReusedIds;
import org.jspecify.annotations.Nullable;

/**
 * Gives a dead job another payload, and redrives it.
 */
final class ChangePayload {

	private static final String LOCK = """
			SELECT large_payload, payload
			FROM jobqueue_archive{byPrimary}
			WHERE id = :id AND state = 4 AND type <> '' AND queue <> ''
			FOR UPDATE""";

	/** Where ids have started again, what belongs to the id is the live job's. */
	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id {lockShared}""";

	private static final String LARGE_PAYLOAD = """
			SELECT payload FROM jobqueue_payload WHERE job_id = :id""";

	private static final String SMALL = """
			UPDATE jobqueue_archive SET large_payload = 0, payload = :payload WHERE id = :id""";

	private static final String LARGE = """
			UPDATE jobqueue_archive SET large_payload = 1, payload = NULL WHERE id = :id""";

	private static final String INSERT_LARGE = """
			INSERT INTO jobqueue_payload (job_id, payload) VALUES (:id, :payload)""";

	private final Database database;

	private final RedriveJobs redrive;

	private final Belongings belongings;

	private final ReusedIds reusedIds;

	private final int inlineBytes;

	ChangePayload(Database database, RedriveJobs redrive, int inlineBytes) {
		this.database = database;
		this.redrive = redrive;
		this.belongings = new Belongings(database);
		this.reusedIds = new ReusedIds(database);
		this.inlineBytes = inlineBytes;
	}

	boolean change(long id, @Nullable String seen, String payload) {
		return this.database.transactions().run(() -> {
			Stored stored = this.database.sql(LOCK)
				.param("id", id)
				.query((row, number) -> new Stored(row.getInt("large_payload") == 1, row.getString("payload")))
				.optional()
				.orElse(null);
			if (stored == null || (!stored.large() && !Objects.equals(stored.payload(), seen))) {
				return false;
			}
			boolean taken = !this.database.sql(LIVE).param("id", id).query(Long.class).list().isEmpty();
			long own = taken ? this.reusedIds.moveAway(List.of(id)).getOrDefault(id, id) : id;
			if (stored.large() && !Objects.equals(largePayload(own), seen)) {
				return false;
			}
			write(own, payload);
			return this.redrive.redriveInTransaction(List.of(own)) == 1;
		});
	}

	private @Nullable String largePayload(long id) {
		return this.database.sql(LARGE_PAYLOAD).param("id", id).query(String.class).optional().orElse(null);
	}

	private void write(long id, String payload) {
		this.belongings.deletePayloads(List.of(id));
		if (PayloadSize.exceeds(payload, this.inlineBytes)) {
			this.database.sql(LARGE).param("id", id).update();
			this.database.sql(INSERT_LARGE).param("id", id).param("payload", payload).update();
		}
		else {
			this.database.sql(SMALL).param("id", id).param("payload", payload).update();
		}
	}

	private record Stored(boolean large, @Nullable String payload) {

	}

}
