package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * A plain read, then an update in autocommit that repeats the read's conditions and
 * compares the fences. Who was second at some jobs begins further back the next time.
 */
final class RawCompareAndSet implements RawClaim {

	private static final String SELECT = "SELECT id, fence, payload FROM jobqueue_job FORCE INDEX (jobqueue_job_claim) WHERE "
			+ READY + " ORDER BY available_at, id LIMIT ? OFFSET ?";

	private static final String TAKE = """
			UPDATE jobqueue_job FORCE INDEX (PRIMARY) SET state = 1, fence = fence + 1, attempt = attempt + 1,
			    session_id = ?, claimed_at = UTC_TIMESTAMP(6), deadline_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR
			WHERE\s""" + READY + " AND fence = ? AND id IN ";

	private static final String OWN = """
			SELECT id FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE state = 1 AND session_id = ? AND id IN\s""";

	private static final int SPREAD = 8;

	private final Connection connection;

	private final long session = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);

	private int offset;

	private final LongAdder lost = new LongAdder();

	RawCompareAndSet(Connection connection) {
		this.connection = connection;
	}

	@Override
	public List<Claimed> claim(int batch) throws SQLException {
		List<Claimed> candidates = read(batch);
		if (candidates.isEmpty()) {
			boolean again = this.offset > 0;
			this.offset = 0;
			return again ? claim(batch) : candidates;
		}
		int taken = 0;
		Map<Long, List<Claimed>> byFence = candidates.stream().collect(Collectors.groupingBy(Claimed::fence));
		for (Map.Entry<Long, List<Claimed>> equal : byFence.entrySet()) {
			taken += take(equal.getKey() - 1, equal.getValue());
		}
		if (taken == candidates.size()) {
			this.offset = 0;
			return candidates;
		}
		this.lost.add(candidates.size() - taken);
		this.offset = ThreadLocalRandom.current().nextInt(1, SPREAD) * batch;
		if (taken == 0) {
			return claim(batch);
		}
		Set<Long> own = own(candidates);
		return candidates.stream().filter((job) -> own.contains(job.id())).toList();
	}

	private List<Claimed> read(int batch) throws SQLException {
		List<Claimed> jobs = new ArrayList<>();
		try (PreparedStatement select = this.connection.prepareStatement(SELECT)) {
			select.setInt(1, batch);
			select.setInt(2, this.offset);
			try (ResultSet row = select.executeQuery()) {
				while (row.next()) {
					jobs.add(new Claimed(row.getLong(1), row.getLong(2) + 1));
					row.getString(3);
				}
			}
		}
		return jobs;
	}

	private int take(long fence, List<Claimed> jobs) throws SQLException {
		try (PreparedStatement take = this.connection.prepareStatement(TAKE + RawClaim.ids(jobs))) {
			take.setLong(1, this.session);
			take.setLong(2, fence);
			return take.executeUpdate();
		}
	}

	private Set<Long> own(List<Claimed> candidates) throws SQLException {
		Set<Long> own = new HashSet<>();
		try (Statement select = this.connection.createStatement();
				ResultSet row = select
					.executeQuery(OWN.replace("?", Long.toString(this.session)) + RawClaim.ids(candidates))) {
			while (row.next()) {
				own.add(row.getLong(1));
			}
		}
		return own;
	}

	@Override
	public long lost() {
		return this.lost.sum();
	}

}
