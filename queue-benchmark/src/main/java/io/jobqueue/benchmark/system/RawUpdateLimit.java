package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * UPDATE … ORDER BY … LIMIT in autocommit, a look at the row count, then a read by a
 * token. Both start where the last claim ended, and from the very start where nothing is
 * behind that.
 */
final class RawUpdateLimit implements RawClaim {

	private static final String UPDATE = """
			UPDATE jobqueue_job FORCE INDEX (jobqueue_job_claim) SET state = 1, fence = fence + 1, attempt = attempt + 1,
			    session_id = ?, claimed_at = UTC_TIMESTAMP(6), deadline_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR
			WHERE\s"""
			+ READY + " AND available_at >= ? ORDER BY available_at, id LIMIT ?";

	private static final String SELECT = """
			SELECT id, fence, payload, CAST(available_at AS CHAR) FROM jobqueue_job FORCE INDEX (jobqueue_job_claim)
			WHERE state = 1 AND type_id = 0 AND queue = 'default' AND priority = 4 AND available_at >= ? AND session_id = ?
			ORDER BY available_at, id""";

	private static final String START = "1970-01-01";

	private final Connection connection;

	private String from = START;

	RawUpdateLimit(Connection connection) {
		this.connection = connection;
	}

	@Override
	public List<Claimed> claim(int batch) throws SQLException {
		long token = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
		if (update(token, batch) == 0) {
			boolean again = !this.from.equals(START);
			this.from = START;
			return again ? claim(batch) : List.of();
		}
		return read(token);
	}

	private int update(long token, int batch) throws SQLException {
		try (PreparedStatement update = this.connection.prepareStatement(UPDATE)) {
			update.setLong(1, token);
			update.setString(2, this.from);
			update.setInt(3, batch);
			return update.executeUpdate();
		}
	}

	private List<Claimed> read(long token) throws SQLException {
		List<Claimed> claimed = new ArrayList<>();
		try (PreparedStatement select = this.connection.prepareStatement(SELECT)) {
			select.setString(1, this.from);
			select.setLong(2, token);
			try (ResultSet row = select.executeQuery()) {
				while (row.next()) {
					claimed.add(new Claimed(row.getLong(1), row.getLong(2)));
					row.getString(3);
					this.from = row.getString(4);
				}
			}
		}
		return claimed;
	}

}
