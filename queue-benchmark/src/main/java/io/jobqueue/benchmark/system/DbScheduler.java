package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.PlainScheduleAndData;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTaskWithPersistentSchedule;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Schedules;
import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.benchmark.Server;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * db-scheduler as it is fastest on MySQL: lock-and-fetch, twenty threads, rewritten
 * batches.
 */
final class DbScheduler implements QueueSystem {

	private static final int THREADS = 20;

	private static final int BATCH = 1_000;

	private final HikariDataSource pool;

	private final JdbcTemplate sql;

	private final AtomicLong ids = new AtomicLong();

	private volatile Work work = Work.nothing(THREADS);

	private final OneTimeTask<String> task = Tasks.oneTime("work", String.class).execute((instance, context) -> run());

	private final RecurringTaskWithPersistentSchedule<PlainScheduleAndData> recurring = Tasks
		.recurringWithPersistentSchedule("recurring", PlainScheduleAndData.class)
		.execute((instance, context) -> run());

	private final Scheduler scheduler;

	DbScheduler(Server server) {
		this.pool = server.pool("rewriteBatchedStatements=true&cachePrepStmts=true", THREADS + 4);
		this.sql = new JdbcTemplate(this.pool);
		this.scheduler = Scheduler.create(this.pool, this.task, this.recurring)
			.threads(THREADS)
			.pollUsingLockAndFetch(1.0, 4.0)
			.pollingInterval(Duration.ofMillis(100))
			.build();
	}

	@Override
	public void createTables() {
		this.sql.execute("""
				CREATE TABLE scheduled_tasks (
				  task_name VARCHAR(100) NOT NULL, task_instance VARCHAR(100) NOT NULL, task_data BLOB,
				  execution_time TIMESTAMP(6) NOT NULL, picked BOOLEAN NOT NULL, picked_by VARCHAR(50),
				  last_success TIMESTAMP(6) NULL, last_failure TIMESTAMP(6) NULL, consecutive_failures INT,
				  last_heartbeat TIMESTAMP(6) NULL, version BIGINT NOT NULL, priority SMALLINT,
				  PRIMARY KEY (task_name, task_instance), INDEX execution_time_idx (execution_time),
				  INDEX last_heartbeat_idx (last_heartbeat))""");
	}

	private void run() {
		this.work.onStart().accept(0);
		this.work.runs().increment();
	}

	@Override
	public void schedule(int count) {
		for (int i = 0; i < count; i++) {
			this.scheduler.schedule(this.recurring.schedulableInstance("schedule-" + i,
					new PlainScheduleAndData(Schedules.cron("0 * * * * *"))));
		}
	}

	private TaskInstance<?> next() {
		return this.task.instance(String.valueOf(this.ids.incrementAndGet()), PAYLOAD);
	}

	@Override
	public void enqueueAll(int jobs) {
		for (int start = 0; start < jobs; start += BATCH) {
			Stream<TaskInstance<?>> batch = IntStream.range(start, Math.min(jobs, start + BATCH))
				.mapToObj((i) -> next());
			this.scheduler.scheduleBatch(batch, Instant.now());
		}
	}

	@Override
	public long enqueueOne() {
		this.scheduler.schedule(next(), Instant.now());
		return 0;
	}

	@Override
	public void start(Work work) {
		if (work.transactional()) {
			throw new UnsupportedOperationException("it cannot complete a job in the handler's transaction");
		}
		this.work = work;
		this.scheduler.start();
	}

	@Override
	public boolean hasUnfinished() {
		return this.sql.queryForObject("SELECT EXISTS (SELECT 1 FROM scheduled_tasks)", Boolean.class);
	}

	@Override
	public void close() {
		this.scheduler.stop();
		this.pool.close();
	}

}
