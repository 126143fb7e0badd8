package io.jobqueue.store.jdbc.finish;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import io.jobqueue.JobState;
import io.jobqueue.database.Capability;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.NumberStatement;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.jdbc.table.Belongings;
import io.jobqueue.store.jdbc.table.DeadJobs;
import io.jobqueue.store.jdbc.table.OrderChanges;
import io.jobqueue.store.jdbc.table.ReusedIds;
import io.jobqueue.store.jdbc.table.StartRecords;
import io.jobqueue.store.jdbc.table.StoreErrors.Entry;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;

/**
 * The end of jobs: the one way out of the table of live jobs, for whoever ends them.
 * Large payloads and errors stay where they are, unless the job is not archived. What
 * else has to happen in the transaction in which a job ends belongs in this class.
 */
public final class EndJobs {

	private static final String CURRENT = "id = :id AND fence = :fence AND session_id = :session AND state = 1";

	private static final ArchiveCopy COPY_LOCKED = ArchiveCopy.of("WHERE id IN (:ids)");

	private static final ArchiveCopy COPY_CURRENT = ArchiveCopy.of("WHERE " + CURRENT + "{lockSource}");

	/** A job that was not claimed: what a claim would have written. */
	private static final String UNCLAIMED = "id = :id AND fence = :fence - 1 AND state = 0";

	private static final ArchiveCopy COPY_UNCLAIMED = ArchiveCopy.of("WHERE " + UNCLAIMED + "{lockSource}",
			Map.of("fence", ":fence", "attempt", "attempt + 1", "session_id", ":session", "claimed_at",
					"(SELECT s.started_at FROM jobqueue_start s WHERE s.job_id = :id AND s.fence = :fence)"));

	private static final String DELETE_UNCLAIMED = "{delete jobqueue_job} WHERE " + UNCLAIMED;

	/** By the primary keys of both, so that nothing else is looked at. */
	private static final String DELETE_BOTH = """
			DELETE j, s FROM jobqueue_job j{byPrimary} JOIN jobqueue_start s{byPrimary}
			    ON s.job_id = j.id AND s.fence = :fence AND s.session_id = :session
			WHERE j.id = :id AND j.fence = :fence - 1 AND j.state = 0""";

	private static final String DELETE_LOCKED = """
			{delete jobqueue_job} WHERE id IN (:ids)""";

	private static final String DELETE_CURRENT = "{delete jobqueue_job} WHERE " + CURRENT;

	/** A job under its first claim has not failed yet. */
	private static final long FIRST_FENCE = 1;

	private final Database database;

	private final StoreErrors errors;

	private final boolean keepSucceeded;

	private final TellOfDeadJobs tell;

	private final StartRecords starts;

	private final Belongings belongings;

	private final ReusedIds reusedIds;

	private final OrderChanges order;

	private final DeadJobs dead;

	/**
	 * Creates the exit.
	 * @param database the database
	 * @param errors where errors are kept
	 * @param keepSucceeded whether succeeded jobs are archived
	 */
	public EndJobs(Database database, StoreErrors errors, boolean keepSucceeded) {
		this.database = database;
		this.errors = errors;
		this.keepSucceeded = keepSucceeded;
		this.tell = new TellOfDeadJobs(database);
		this.starts = new StartRecords(database);
		this.belongings = new Belongings(database);
		this.reusedIds = new ReusedIds(database);
		this.order = new OrderChanges(database);
		this.dead = new DeadJobs(database);
	}

	/**
	 * ack: RUNNING → archive SUCCEEDED, or nothing at all where succeeded jobs are not
	 * kept.
	 * @param acks the claims, whose jobs the transaction has locked
	 * @param locked what is known of these jobs
	 */
	void ack(List<Finish.Ack> acks, LockClaims.Locked locked) {
		List<Claim> claims = acks.stream().map(Finish.Ack::claim).toList();
		List<Long> ids = claims.stream().map(Claim::id).toList();
		this.order.ended(ids.stream().filter(locked.orderKeys()::containsKey).toList());
		if (this.keepSucceeded) {
			Chunks.of(ids).forEach((chunk) -> {
				archiveSucceeded(chunk, COPY_LOCKED, (statement) -> statement.ids(chunk));
				deleteLocked(chunk);
			});
			return;
		}
		deleteLocked(ids);
		this.belongings.deletePayloads(ids.stream().filter(locked.large()::contains).toList());
		this.belongings
			.deleteErrors(claims.stream().filter((claim) -> claim.fence() != FIRST_FENCE).map(Claim::id).toList());
	}

	/**
	 * The same for one job whose row is not locked yet, by two statements instead of
	 * three: the first checks the fence.
	 * @param claim the claim
	 * @param ordered whether the job has an order key
	 * @return whether it was current; if not, the transaction must be rolled back
	 */
	public boolean ackIfCurrent(Claim claim, boolean ordered) {
		return ack(claim, ordered, COPY_CURRENT, () -> update(DELETE_CURRENT, claim) == 1);
	}

	/**
	 * The same for a job of a row-lock queue, which is not claimed: its row is locked by
	 * the transaction, or somebody else has it. Its start record ends with it.
	 * @param claim the claim that it would have
	 * @param ordered whether the job has an order key
	 * @return whether it is as it was; if not, the transaction must be rolled back
	 */
	public boolean ackUnclaimed(Claim claim, boolean ordered) {
		return this.database.can(Capability.CHANGE_BY_JOIN)
				? ack(claim, ordered, COPY_UNCLAIMED, () -> update(DELETE_BOTH, claim) == 2) : ack(claim, ordered,
						COPY_UNCLAIMED, () -> update(DELETE_UNCLAIMED, claim) == 1 && this.starts.delete(claim));
	}

	private boolean ack(Claim claim, boolean ordered, ArchiveCopy copy, BooleanSupplier delete) {
		if (ordered) {
			this.order.ended(List.of(claim.id()));
		}
		if (this.keepSucceeded) {
			return archiveSucceeded(List.of(claim.id()), copy, (statement) -> with(statement, claim)) == 1
					&& delete.getAsBoolean();
		}
		boolean deleted = delete.getAsBoolean();
		if (deleted) {
			this.belongings.delete(List.of(claim.id()));
		}
		return deleted;
	}

	private int update(String statement, Claim claim) {
		return with(this.database.numbers(statement), claim).update();
	}

	private int archiveSucceeded(List<Long> ids, ArchiveCopy copy, UnaryOperator<NumberStatement> values) {
		AtomicInteger archived = new AtomicInteger();
		this.reusedIds.write(ids, () -> {
			try {
				archived.set(archiveSucceeded(copy.asItIs(), values));
			}
			catch (DuplicateKeyException ex) {
				// Another job has the id; ReusedIds gives that one a new one.
				throw ex;
			}
			catch (DataIntegrityViolationException ex) {
				// Some row has a time that does not exist. Only the statement was rolled
				// back.
				archived.set(archiveSucceeded(copy.mended(), values));
			}
		});
		return archived.get();
	}

	private int archiveSucceeded(String statement, UnaryOperator<NumberStatement> values) {
		return values.apply(this.database.numbers(statement).param("state", StateCode.of(JobState.SUCCEEDED))).update();
	}

	private static NumberStatement with(NumberStatement statement, Claim claim) {
		return statement.param("id", claim.id()).param("fence", claim.fence()).param("session", claim.session());
	}

	/**
	 * dead-letter: archive DEAD, with the error that the job is dead for.
	 * @param dead the jobs, which the transaction has locked, with their errors
	 */
	public void deadLetter(List<Entry> dead) {
		this.order.ended(dead.stream().map((one) -> one.claim().id()).toList());
		deadLetterParked(dead);
	}

	/**
	 * The same for jobs that wait for their order key, which the caller sees to.
	 */
	public void deadLetterParked(List<Entry> dead) {
		List<Long> ids = dead.stream().map((one) -> one.claim().id()).toList();
		this.errors.store(dead);
		Map<Long, Long> calls = this.tell.tell(ids);
		move(JobState.DEAD, ids);
		this.tell.keep(calls);
		this.dead.add(dead);
	}

	/**
	 * Moves jobs to the archive, whatever another program has written into their rows.
	 * @param state the state that they have there
	 * @param ids the jobs, which the transaction has locked
	 */
	public void archive(JobState state, List<Long> ids) {
		this.order.ended(ids);
		move(state, ids);
	}

	private void move(JobState state, List<Long> ids) {
		for (List<Long> chunk : Chunks.of(ids)) {
			this.reusedIds.write(chunk,
					() -> this.database.numbers(COPY_LOCKED.mended())
						.param("state", StateCode.of(state))
						.ids(chunk)
						.update());
			deleteLocked(chunk);
		}
	}

	private void deleteLocked(List<Long> ids) {
		Chunks.of(ids).forEach((chunk) -> this.database.numbers(DELETE_LOCKED).ids(chunk).update());
	}

}
