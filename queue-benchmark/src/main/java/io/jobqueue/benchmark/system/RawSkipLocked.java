package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * SELECT … FOR UPDATE SKIP LOCKED, then an update of what is locked.
 */
final class RawSkipLocked implements RawClaim {

	private static final String SELECT = "SELECT id, fence, payload FROM jobqueue_job FORCE INDEX (jobqueue_job_claim) WHERE "
			+ READY + " ORDER BY available_at, id LIMIT ? FOR UPDATE SKIP LOCKED";

	private static final String TAKE = """
			UPDATE jobqueue_job FORCE INDEX (PRIMARY) SET state = 1, fence = fence + 1, attempt = attempt + 1,
			    session_id = 1, claimed_at = UTC_TIMESTAMP(6), deadline_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR
			WHERE id IN\s""";

	private final Connection connection;

	RawSkipLocked(Connection connection) {
		this.connection = connection;
	}

	@Override
	public List<Claimed> claim(int batch) throws SQLException {
		List<Claimed> claimed = new ArrayList<>();
		try (PreparedStatement select = this.connection.prepareStatement(SELECT)) {
			select.setInt(1, batch);
			try (ResultSet row = select.executeQuery()) {
				while (row.next()) {
					claimed.add(new Claimed(row.getLong(1), row.getLong(2) + 1));
					row.getString(3);
				}
			}
		}
		if (!claimed.isEmpty()) {
			try (Statement take = this.connection.createStatement()) {
				take.executeUpdate(TAKE + RawClaim.ids(claimed));
			}
		}
		this.connection.commit();
		return claimed;
	}

}
