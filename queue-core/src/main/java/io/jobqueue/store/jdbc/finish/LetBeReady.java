package io.jobqueue.store.jdbc.finish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.StoreErrors;

import org.springframework.dao.DataAccessException;

/**
 * Lets jobs that wait be ready. A row that another program has written may break a rule
 * of the table, and so refuse each change. Its job is dead then, and the others are
 * ready.
 */
public final class LetBeReady {

	/**
	 * A place among those that are overdue could be one that claims have passed.
	 */
	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = {readyAgain}, fence = LEAST(fence, 9223372036854775000) + 1,
			    available_at = GREATEST({now}, available_at)
			WHERE id IN (:ids)""";

	private final Database database;

	private final EndJobs end;

	public LetBeReady(Database database) {
		// No job succeeds here, so it does not matter what becomes of those.
		this(database, new EndJobs(database, new StoreErrors(database), true));
	}

	public LetBeReady(Database database, EndJobs end) {
		this.database = database;
		this.end = end;
	}

	/**
	 * Lets jobs be ready, or be dead.
	 * @param jobs the jobs, which the transaction has locked, with the fences that they
	 * have
	 * @return those that are ready
	 */
	public List<Claim> update(Collection<Claim> jobs) {
		List<Claim> ready = new ArrayList<>(jobs.size());
		for (List<Claim> chunk : Chunks.of(List.copyOf(jobs))) {
			try {
				ready.addAll(updateAll(chunk));
			}
			catch (DataAccessException ex) {
				throwUnlessAboutData(ex);
				chunk.forEach((job) -> updateOrEnd(job, ready));
			}
		}
		return ready;
	}

	private List<Claim> updateAll(List<Claim> jobs) {
		this.database.numbers(UPDATE).ids(jobs.stream().map(Claim::id).toList()).update();
		return jobs;
	}

	private void updateOrEnd(Claim job, List<Claim> ready) {
		try {
			ready.addAll(updateAll(List.of(job)));
		}
		catch (DataAccessException ex) {
			throwUnlessAboutData(ex);
			this.end.deadLetter(List.of(new StoreErrors.Entry(job,
					Failure.of(0, "row", "The job's row is invalid, so it cannot run: " + ex.getMessage()))));
		}
	}

	private static void throwUnlessAboutData(DataAccessException ex) {
		if (!SqlFailure.isAboutData(ex)) {
			throw ex;
		}
	}

}
