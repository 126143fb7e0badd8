package io.jobqueue.store.jdbc.inspect;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.jobqueue.DeadCause;
import io.jobqueue.Job;
import io.jobqueue.JobCount;
import io.jobqueue.JobError;
import io.jobqueue.JobFilter;
import io.jobqueue.JobPage;
import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.table.JobRow;
import io.jobqueue.store.JobListing;

import org.jspecify.annotations.Nullable;

/**
 * Lists of jobs in SQL.
 */
public final class JdbcJobListing implements JobListing {

	/** The primary key is read backwards. */
	private static final String ERRORS = """
			SELECT attempt AS error_attempt, failed_at, error_type, message, stack_trace
			FROM jobqueue_error{byPrimary}
			WHERE job_id = :id
			ORDER BY fence DESC
			LIMIT :limit""";

	private static final int MOST_LOOKED_AT = 10_000;

	private static final int MOST_COUNTED = 100_000;

	/** To look at each job takes longer than to count entries of an index. */
	private static final int MOST_WALKED = 20_000;

	private final Database database;

	private final WalkJobs walk;

	private final ReadJobs jobs;

	private final ReadCauses causes;

	private final CountEntries counts;

	/**
	 * Creates the lists.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcJobListing(Database database) {
		this.database = database;
		this.walk = new WalkJobs(database);
		this.jobs = new ReadJobs(database);
		this.causes = new ReadCauses(database);
		this.counts = new CountEntries(database);
	}

	@Override
	public JobPage list(JobFilter filter, @Nullable String after, int limit) {
		return this.database.read(() -> {
			WalkJobs.Found found = this.walk.find(filter, after, limit, MOST_LOOKED_AT);
			return new JobPage(read(found.ids(), filter), found.next());
		});
	}

	/**
	 * Jobs may have gone on since they were found.
	 */
	private List<Job> read(List<Long> ids, JobFilter filter) {
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
			WalkJobs.Found found = this.walk.find(filter, null, MOST_WALKED, MOST_WALKED);
			return new JobCount(found.ids().size(), found.next() != null);
		});
	}

	private static JobCount capped(long counted) {
		return new JobCount(Math.min(counted, MOST_COUNTED), counted > MOST_COUNTED);
	}

	@Override
	public List<JobError> errors(long id, int limit) {
		return this.database.read(() -> this.database.sql(ERRORS)
			.param("id", id)
			.param("limit", limit)
			.query((row, number) -> Objects.requireNonNull(JobRow.error(row)))
			.list());
	}

	@Override
	public List<DeadCause> deadCauses(int limit) {
		return this.database.read(() -> this.causes.read(limit));
	}

}
