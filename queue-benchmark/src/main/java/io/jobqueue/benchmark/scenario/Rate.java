package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Limited;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Work;

/**
 * How exactly a thousand starts a second are kept on several nodes of one process,
 * counted by the times that claims have written.
 *
 * @param jobs how many are there
 * @param nodes how many nodes
 */
record Rate(int jobs, int nodes) implements Scenario {

	private static final int SLOTS = 8;

	private static final int WARM_UP_SECONDS = 10;

	private static final int SECONDS = 60;

	@Override
	public void prepare(Trial trial) {
		trial.system().limit(Limited.THOUSAND_A_SECOND);
		trial.system().enqueueLimited(Limited.THOUSAND_A_SECOND, trial.jobs(), 0);
	}

	@Override
	public Measurement run(Trial trial) throws Exception {
		Work work = Work.nothing(SLOTS);
		List<QueueSystem> others = new ArrayList<>();
		try {
			trial.system().start(work);
			for (int i = 1; i < this.nodes; i++) {
				QueueSystem other = trial.anotherNode();
				others.add(other);
				other.limit(Limited.THOUSAND_A_SECOND);
				other.start(work);
			}
			Thread.sleep(Duration.ofSeconds(WARM_UP_SECONDS + SECONDS + 2).toMillis());
		}
		finally {
			others.forEach(QueueSystem::close);
		}
		return measured(trial);
	}

	private static Measurement measured(Trial trial) {
		List<Long> starts = trial.server()
			.sql()
			.queryForList("""
					SELECT TIMESTAMPDIFF(MICROSECOND, (SELECT MIN(claimed_at) FROM jobqueue_archive), claimed_at)
					FROM jobqueue_archive
					ORDER BY claimed_at""", Long.class)
			.stream()
			.map((micros) -> micros - WARM_UP_SECONDS * 1_000_000L)
			.filter((micros) -> micros >= 0 && micros < SECONDS * 1_000_000L)
			.toList();
		int most = 0;
		for (int first = 0, last = 0; last < starts.size(); last++) {
			while (starts.get(last) - starts.get(first) >= 1_000_000) {
				first++;
			}
			most = Math.max(most, last - first + 1);
		}
		return new Measurement(starts.size(), Duration.ofSeconds(SECONDS)).with("most_in_a_second", most);
	}

}
