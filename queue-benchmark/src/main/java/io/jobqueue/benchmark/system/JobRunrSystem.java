package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.benchmark.Server;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.BackgroundJob;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * JobRunr as it is fastest on MySQL: as many workers as connections, its shortest poll
 * interval, no dashboard.
 */
public final class JobRunrSystem implements QueueSystem {

	private static final int WORKERS = 20;

	private static final int BATCH = 5_000;

	/** Its jobs are static methods, called by name. */
	private static volatile Work current = Work.nothing(WORKERS);

	private final HikariDataSource pool;

	private final JdbcTemplate sql;

	JobRunrSystem(Server server) {
		this.pool = server.pool("rewriteBatchedStatements=true&cachePrepStmts=true", WORKERS + 4);
		this.sql = new JdbcTemplate(this.pool);
	}

	/**
	 * What its jobs run.
	 * @param payload ignored
	 */
	public static void work(String payload) {
		current.onStart().accept(0);
		current.runs().increment();
	}

	@Override
	public void createTables() {
		JobRunr.configure().useStorageProvider(SqlStorageProviderFactory.using(this.pool)).initialize();
	}

	@Override
	public void enqueueAll(int jobs) {
		for (int start = 0; start < jobs; start += BATCH) {
			BackgroundJob.enqueue(IntStream.range(start, Math.min(jobs, start + BATCH)).mapToObj((i) -> PAYLOAD),
					(payload) -> work(payload));
		}
	}

	@Override
	public void schedule(int count) {
		String payload = PAYLOAD;
		for (int i = 0; i < count; i++) {
			BackgroundJob.scheduleRecurrently("schedule-" + i, "* * * * *", () -> work(payload));
		}
	}

	@Override
	public long enqueueOne() {
		String payload = PAYLOAD;
		BackgroundJob.enqueue(() -> work(payload));
		return 0;
	}

	@Override
	public void start(Work work) {
		if (work.transactional()) {
			throw new UnsupportedOperationException("it cannot complete a job in the handler's transaction");
		}
		current = work;
		JobRunr.configure()
			.useStorageProvider(SqlStorageProviderFactory.using(this.pool))
			.useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
				.andWorkerCount(WORKERS)
				.andPollInterval(Duration.ofSeconds(5)))
			.initialize();
	}

	@Override
	public boolean hasUnfinished() {
		return this.sql.queryForObject(
				"SELECT EXISTS (SELECT 1 FROM jobrunr_jobs WHERE state IN ('ENQUEUED', 'PROCESSING'))", Boolean.class);
	}

	@Override
	public void close() {
		JobRunr.destroy();
		this.pool.close();
	}

}
