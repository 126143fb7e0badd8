package io.jobqueue.store.jdbc.rowlock;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.StartRecords;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds jobs that were begun and whose rows nobody has locked: their connections were
 * lost while they ran. Until their session proves dead, which would be a crash, it is an
 * outage. As suspects they are claimed from then on, in every mode.
 */
final class FreeLost {

	private static final Logger log = LoggerFactory.getLogger(FreeLost.class);

	/**
	 * A record is committed a moment before the row is locked. Who is kept from that for
	 * longer has to let the job go: it finds its fence raised.
	 */
	private static final String OPEN = """
			SELECT job_id, fence, session_id FROM jobqueue_start
			WHERE freed = 0 AND started_at < {now + -500000 MICROSECOND}""";

	private static final String LOCK = """
			SELECT id, fence, attempt FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 0
			FOR UPDATE SKIP LOCKED""";

	private static final String LIVE = """
			SELECT id, fence FROM jobqueue_job{byPrimary} WHERE id IN (:ids) AND state = 0""";

	/** The same record: it may have been another one's since it was read. */
	private static final String MARK = """
			UPDATE jobqueue_start SET freed = 1
			WHERE job_id = :id AND fence = :fence AND session_id = :session AND freed = 0 AND left_running = 0""";

	private static final String SUSPECT = """
			UPDATE jobqueue_job{byPrimary} SET state = {readyAfterOutage}, outages = outages + 1, fence = fence + 1
			WHERE id IN (:ids)""";

	private final Database database;

	private final StoreErrors errors;

	private final StartRecords starts;

	FreeLost(Database database) {
		this.database = database;
		this.errors = new StoreErrors(database);
		this.starts = new StartRecords(database);
	}

	int run() {
		int freed = 0;
		List<Claim> open = this.database.read(this::open);
		for (List<Claim> chunk : Chunks.of(open)) {
			freed += freeIfPossible(chunk);
		}
		return freed;
	}

	/**
	 * Where others keep what is to be written locked, the next round tries again: the
	 * poll loop must not wait for them.
	 */
	private int freeIfPossible(List<Claim> open) {
		try {
			return this.database.transactions().run(LockWaits.SHORT, () -> free(open));
		}
		catch (RuntimeException ex) {
			if (!SqlFailure.isConflict(ex)) {
				throw ex;
			}
			log.debug("Lost jobs could not be freed in this round", ex);
			return 0;
		}
	}

	private List<Claim> open() {
		return this.database.sql(OPEN)
			.query((row, number) -> new Claim(row.getLong("job_id"), row.getLong("fence"), row.getLong("session_id")))
			.list();
	}

	/**
	 * Frees those whose rows nobody has locked but the transaction that this runs in.
	 */
	int free(List<Claim> open) {
		List<Long> ids = open.stream().map(Claim::id).toList();
		Map<Row, Integer> unlocked = this.database.numbers(LOCK)
			.ids(ids)
			.query((row, number) -> Map.entry(row(row), row.getInt("attempt")))
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
		Set<Row> live = new HashSet<>(this.database.numbers(LIVE).ids(ids).query((row, number) -> row(row)));
		List<Claim> lost = new ArrayList<>();
		for (Claim claim : open) {
			Row row = new Row(claim.id(), claim.fence() - 1);
			if (unlocked.containsKey(row) && close(claim)) {
				lost.add(claim);
			}
			else if (!live.contains(row)) {
				// The job has ended, or was claimed: nobody waits for this record.
				this.starts.delete(claim);
			}
		}
		if (!lost.isEmpty()) {
			suspect(lost, (claim) -> unlocked.getOrDefault(new Row(claim.id(), claim.fence() - 1), 0) + 1);
		}
		return lost.size();
	}

	private static Row row(ResultSet row) throws SQLException {
		return new Row(row.getLong("id"), row.getLong("fence"));
	}

	/**
	 * Marks the record, or deletes that of a worker which has stopped in order: its
	 * session can no longer prove dead.
	 */
	private boolean close(Claim claim) {
		return mark(claim) || this.starts.deleteLeftRunning(claim);
	}

	private boolean mark(Claim claim) {
		return this.database.numbers(MARK)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.param("session", claim.session())
			.update() == 1;
	}

	private void suspect(List<Claim> lost, Function<Claim, Integer> attempt) {
		this.errors.store(lost.stream()
			.map((claim) -> new StoreErrors.Entry(claim,
					Failure.of(attempt.apply(claim), "outage",
							"The connection that locked the job's row was lost while the job ran")))
			.toList());
		this.database.numbers(SUSPECT).ids(lost.stream().map(Claim::id).toList()).update();
		log.info(
				"{} job(s) lost their connections while they ran, the first of them job {}; they run again as suspects",
				lost.size(), lost.get(0).id());
	}

	/**
	 * A job that is ready.
	 */
	private record Row(long id, long fence) {

	}

}
