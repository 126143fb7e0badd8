package io.jobqueue.store.jdbc.inspect;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.jobqueue.DeadCause;
import io.jobqueue.Job;
import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobPage;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.JobListing;

import org.jspecify.annotations.Nullable;

/**
 * Lists of jobs in SQL.
 */
public final class JdbcJobListing implements JobListing {

	private static final int MOST_LOOKED_AT = 12_000;

	private static final int MOST_COUNTED = 100_000;

	/** By the index of how many there are, read backwards. */
	private static final String CAUSES = """
			SELECT id, error_type, place, message, jobs, {readable first_at} AS first_seen, {readable last_at} AS last_seen
			FROM jobqueue_cause{byJobs}
			WHERE jobs > 0
			ORDER BY jobs DESC
			LIMIT :limit""";

	private final Database database;

	private final ReadJobs jobs;

	private final CountEntries counts;

	/**
	 * Creates the lists.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcJobListing(Database database) {
		this.database = database;
		this.jobs = new ReadJobs(database);
		this.counts = new CountEntries(database);
	}

	@Override
	public JobPage list(JobFilter filter, @Nullable String after, int limit) {
		return this.database.read(() -> {
			Entries entries = entries(filter);
			Place place = (after != null) ? Place.parse(after, entries.byTime()) : null;
			Walk.Found found = new Walk(entries, filter, MOST_LOOKED_AT).find(place, limit);
			String next = (found.next() != null) ? found.next().toString() : null;
			return new JobPage(read(found.entries(), filter), next);
		});
	}

	/**
	 * Jobs may have gone on since they were found.
	 */
	private List<Job> read(List<Entry> entries, JobFilter filter) {
		List<Long> ids = entries.stream().map((entry) -> entry.place().id()).toList();
		Map<Long, Job> read = this.jobs.read(ids);
		return ids.stream()
			.map(read::get)
			.filter(Objects::nonNull)
			.filter((job) -> filter.state() == null || filter.state() == job.state())
			.toList();
	}

	@Override
	public JobCount count(JobFilter filter) {
		return this.database.read(() -> {
			if (CountEntries.can(filter)) {
				return capped(this.counts.count(filter, MOST_COUNTED + 1));
			}
			Walk.Found found = new Walk(entries(filter), filter, MOST_COUNTED).find(null, MOST_COUNTED);
			return new JobCount(found.entries().size(), found.next() != null);
		});
	}

	private static JobCount capped(long counted) {
		return new JobCount(Math.min(counted, MOST_COUNTED), counted > MOST_COUNTED);
	}

	private Entries entries(JobFilter filter) {
		if (filter.state() == null) {
			return new JobsByNumber(this.database, true);
		}
		if (!filter.state().isLive()) {
			return new EndedJobs(this.database, filter);
		}
		return FewJobs.of(this.database, filter)
			.map(Entries.class::cast)
			.orElseGet(() -> new JobsByNumber(this.database, false));
	}

	@Override
	public List<DeadCause> deadCauses(int limit) {
		return this.database.read(() -> this.database.sql(CAUSES)
			.param("limit", limit)
			.query((row, number) -> new DeadCause(row.getLong("id"), row.getString("error_type"),
					row.getString("place"), row.getString("message"), row.getLong("jobs"),
					Utc.instant(row, "first_seen"), Utc.instant(row, "last_seen")))
			.list());
	}

}
