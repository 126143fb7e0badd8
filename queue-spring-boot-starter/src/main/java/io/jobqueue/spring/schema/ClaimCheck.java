package io.jobqueue.spring.schema;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.database.SkipLockedProbe;
import io.jobqueue.maintenance.QueueModes;
import io.jobqueue.node.QueueNode;
import io.jobqueue.store.jdbc.SchemaCheck;
import io.jobqueue.worker.WorkerSettings;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Finds out, before a worker starts, whether and how it can claim from the database.
 */
public final class ClaimCheck {

	private static final Logger log = LoggerFactory.getLogger(ClaimCheck.class);

	private final QueueNode node;

	private final WorkerSettings settings;

	private final QueueModes modes;

	private final ClaimStrategy claim;

	/**
	 * Creates a check.
	 * @param node the node
	 * @param settings which queues its worker serves
	 * @param modes the modes of the queues
	 * @param claim how jobs are to be claimed
	 */
	public ClaimCheck(QueueNode node, WorkerSettings settings, QueueModes modes, ClaimStrategy claim) {
		this.node = node;
		this.settings = settings;
		this.modes = modes;
		this.claim = claim;
	}

	/**
	 * Tries it.
	 * @throws NoSkipLockedException if jobs are to be claimed by SKIP LOCKED, or stay
	 * locked while they run, and the database does not pass over locked rows
	 * @throws MissingSchemaException if it could not be tried for want of tables
	 * @throws MissingRightsException if it could not be tried for want of rights
	 */
	public void run() {
		try {
			List<String> rowLock = this.modes.rowLock().stream().filter(this.settings::serves).toList();
			if (this.claim == ClaimStrategy.AUTO) {
				this.node.stores().jobs().prepareClaims();
				if (rowLock.isEmpty()) {
					return;
				}
			}
			String problem = new SkipLockedProbe(this.node.database()).problem();
			if (this.claim == ClaimStrategy.SKIP_LOCKED && !problem.isEmpty()) {
				throw new NoSkipLockedException(problem, "Leave jobqueue.worker.claim at auto");
			}
			if (!rowLock.isEmpty()) {
				if (!problem.isEmpty()) {
					throw new NoSkipLockedException(problem,
							"The mode of these queues is row-lock, which needs it: " + String.join(", ", rowLock)
									+ ". Set jobqueue.queues." + rowLock.get(0) + ".mode to standard");
				}
				log.info("Jobs of these queues are not claimed, but locked while they run (row-lock): {}",
						String.join(", ", rowLock));
			}
			if (this.claim == ClaimStrategy.AUTO) {
				return;
			}
			log.info("Jobs are claimed by {}, as jobqueue.worker.claim says",
					this.claim.name().toLowerCase(Locale.ROOT).replace('_', '-'));
		}
		catch (DataAccessException ex) {
			List<String> problems = new SchemaCheck(this.node.database()).problems();
			if (problems.isEmpty()) {
				throw isDenied(ex) ? new MissingRightsException(ex) : ex;
			}
			throw new MissingSchemaException(problems, this.node.database().dialect().schemaFolder());
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
