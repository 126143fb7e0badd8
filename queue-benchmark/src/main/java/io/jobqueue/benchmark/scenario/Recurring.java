package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Work;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Recurring jobs that are all due at each full minute, on several nodes of one process.
 * What is measured is how long after the minute each starts.
 *
 * @param jobs how many recurring jobs
 * @param nodes how many nodes
 */
record Recurring(int jobs, int nodes) implements Scenario {

	private static final int SLOTS = 8;

	private static final int MINUTES = 3;

	private static final long MINUTE = Duration.ofMinutes(1).toMillis();

	@Override
	public void prepare(Trial trial) {
		trial.system().schedule(trial.jobs());
	}

	@Override
	public Measurement run(Trial trial) throws Exception {
		Queue<Long> starts = new ConcurrentLinkedQueue<>();
		LongAdder ran = new LongAdder();
		Work work = new Work(false, SLOTS, ran, (id) -> starts.add(System.currentTimeMillis()));
		List<QueueSystem> others = new ArrayList<>();
		try {
			trial.system().start(work);
			for (int i = 1; i < this.nodes; i++) {
				QueueSystem other = trial.anotherNode();
				others.add(other);
				other.start(work);
			}
			// The first minute is the warm-up.
			Thread.sleep(2 * MINUTE - System.currentTimeMillis() % MINUTE - 1_000);
			starts.clear();
			trial.costsFromNow();
			Thread.sleep(MINUTES * MINUTE);
			return measured(trial, List.copyOf(starts));
		}
		finally {
			others.forEach(QueueSystem::close);
		}
	}

	private static Measurement measured(Trial trial, List<Long> starts) {
		long[] late = starts.stream().mapToLong((start) -> start % MINUTE * 1_000_000).toArray();
		Measurement measured = new Measurement(starts.size(), Duration.ofMinutes(MINUTES), late)
			.with("wanted", MINUTES * trial.jobs())
			.with("last_start_ms", starts.stream().mapToLong((start) -> start % MINUTE).max().orElse(-1));
		if (!trial.name().startsWith("ours")) {
			return measured;
		}
		JdbcTemplate sql = trial.server().sql();
		return measured.with("last_enqueued_ms", sql.queryForObject("""
				SELECT MAX(TIMESTAMPDIFF(MICROSECOND, scheduled_for, enqueued_at)) DIV 1000 FROM jobqueue_archive
				WHERE scheduled_for > UTC_TIMESTAMP(6) - INTERVAL 200 SECOND""", Long.class))
			.with("doubled", sql.queryForObject("""
					SELECT COUNT(*) - (SELECT COUNT(*) FROM jobqueue_tick) FROM jobqueue_archive""", Long.class))
			.with("missed", sql.queryForObject("SELECT SUM(missed + skipped) FROM jobqueue_schedule", Long.class));
	}

}
