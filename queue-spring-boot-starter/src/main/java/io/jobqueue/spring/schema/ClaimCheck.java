package io.jobqueue.spring.schema;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

import io.jobqueue.database.Database;
import io.jobqueue.database.SkipLockedProbe;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.jdbc.SchemaCheck;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Finds out, before a worker starts, whether and how it can claim from the database.
 */
public final class ClaimCheck {

	private static final Logger log = LoggerFactory.getLogger(ClaimCheck.class);

	private final Database database;

	private final ClaimStore store;

	private final ClaimStrategy claim;

	/**
	 * Creates a check.
	 * @param database the queue's database
	 * @param store the jobs
	 * @param claim how they are to be claimed
	 */
	public ClaimCheck(Database database, ClaimStore store, ClaimStrategy claim) {
		this.database = database;
		this.store = store;
		this.claim = claim;
	}

	/**
	 * Tries it.
	 * @throws NoSkipLockedException if jobs are to be claimed by SKIP LOCKED and the
	 * database does not pass over locked rows
	 * @throws MissingSchemaException if it could not be tried for want of tables
	 * @throws MissingRightsException if it could not be tried for want of rights
	 */
	public void run() {
		try {
			if (this.claim == ClaimStrategy.AUTO) {
				this.store.prepareClaims();
				return;
			}
			String problem = new SkipLockedProbe(this.database).problem();
			if (this.claim == ClaimStrategy.SKIP_LOCKED && !problem.isEmpty()) {
				throw new NoSkipLockedException(problem);
			}
			log.info("Jobs are claimed by {}, as jobqueue.worker.claim says",
					this.claim.name().toLowerCase(Locale.ROOT).replace('_', '-'));
		}
		catch (DataAccessException ex) {
			List<String> problems = new SchemaCheck(this.database).problems();
			if (problems.isEmpty()) {
				throw isDenied(ex) ? new MissingRightsException(ex) : ex;
			}
			throw new MissingSchemaException(problems, this.database.dialect().schemaFolder());
		}
	}

	/**
	 * The SQL state of a syntax error or a missing right; the statement has no such
	 * error.
	 */
	private static boolean isDenied(DataAccessException failure) {
		return failure.getCause() instanceof SQLException sql
				&& ("42000".equals(sql.getSQLState()) || "90096".equals(sql.getSQLState()));
	}

}
