package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A plain claim of the next jobs of one ready range, for one thread.
 */
interface RawClaim {

	/** Which jobs are ready in that range. */
	String READY = "state = 0 AND type_id = 0 AND queue = 'default' AND priority = 4 AND available_at <= UTC_TIMESTAMP(6)";

	/**
	 * Claims jobs, and commits that.
	 * @param batch how many at most
	 * @return the jobs
	 */
	List<Claimed> claim(int batch) throws SQLException;

	/**
	 * How many jobs it wanted that another claim was first at. None, if it waits for
	 * others or passes over what they have.
	 */
	default long lost() {
		return 0;
	}

	/**
	 * Jobs as a list in SQL.
	 */
	static String ids(List<Claimed> jobs) {
		return jobs.stream().map((job) -> String.valueOf(job.id())).collect(Collectors.joining(",", "(", ")"));
	}

	/**
	 * How jobs are claimed.
	 */
	enum Strategy {

		/** Locked, then updated. */
		SKIP_LOCKED(RawSkipLocked::new),

		/** Updated, then read by a token. */
		UPDATE_LIMIT(RawUpdateLimit::new),

		/** Read, then updated if nothing has changed. */
		COMPARE_AND_SET(RawCompareAndSet::new);

		private final Function<Connection, RawClaim> claims;

		Strategy(Function<Connection, RawClaim> claims) {
			this.claims = claims;
		}

		/**
		 * Makes the claims of one thread.
		 * @param connection a connection in autocommit; for locked ones, without
		 */
		RawClaim on(Connection connection) {
			return this.claims.apply(connection);
		}

	}

	/**
	 * A job, and the fence of the claim.
	 */
	record Claimed(long id, long fence) {

	}

}
