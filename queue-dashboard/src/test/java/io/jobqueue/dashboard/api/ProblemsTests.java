package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.dashboard.api.Problems.Problem;
import io.jobqueue.dashboard.api.Problems.Severity;
import io.jobqueue.spring.actuate.KeySample;
import io.jobqueue.spring.actuate.QueueSample;
import io.jobqueue.spring.actuate.ScheduleSample;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What is told to be wrong. That nothing is wrong must not be told by mistake.
 */
class ProblemsTests {

	private static final WorkerSessions.Session WORKER = new WorkerSessions.Session(1, "worker", 10, 3, List.of(),
			List.of("any"), Instant.EPOCH, Instant.EPOCH);

	private Set<String> unmeasured = Set.of();

	private Map<JobState, Long> archived = Map.of();

	private List<WorkerSessions.Session> workers = List.of(WORKER);

	private List<RatesApi.Failing> failing = List.of();

	private List<Problem> problems(Queues.Depth queue, @Nullable String away) {
		QueueSample sample = new QueueSample(Instant.now(), List.of(), Instant.now(), this.archived, Map.of(),
				ScheduleSample.NONE, KeySample.NONE, this.unmeasured);
		return Problems.of(new Problems.Facts(List.of(queue), this.workers, sample, Set.of(), this.failing, away));
	}

	private List<Problem> problems() {
		return problems(depth(0, 0, 0, 0, Duration.ZERO), null);
	}

	private static Queues.Depth depth(long ready, long delayed, long waiting, long running, Duration oldest) {
		return new Queues.Depth("mail", false, false, QueueMode.STANDARD, ready, delayed, waiting, running, 0, oldest);
	}

	@Test
	void nothingIsWrong() {
		assertThat(problems()).isEmpty();
		assertThat(problems(depth(9, 9, 9, 9, Duration.ofMinutes(4)), null)).isEmpty();
	}

	/**
	 * Jobs that run may be those of a worker that is dead; those that wait are let in by
	 * workers.
	 */
	@ParameterizedTest
	@CsvSource({ "1,0,0,0", "0,1,0,0", "0,0,1,0", "0,0,0,1" })
	void noWorkerIsBadWhereverJobsAre(long ready, long delayed, long waiting, long running) {
		this.workers = List.of();
		assertThat(problems(depth(ready, delayed, waiting, running, Duration.ZERO), null))
			.extracting(Problem::severity, Problem::title)
			.containsExactly(tuple(Severity.BAD, "No worker runs"));
	}

	@Test
	void noWorkerIsToldThoughThereIsNothingToDo() {
		this.workers = List.of();
		assertThat(problems()).extracting(Problem::severity, Problem::title)
			.containsExactly(tuple(Severity.WARN, "No worker runs"));
	}

	@Test
	void workersAreNotMissedWhileNobodyCanAskForThem() {
		this.workers = List.of();
		assertThat(problems(depth(1, 0, 0, 0, Duration.ZERO), "It does not answer.")).extracting(Problem::title)
			.containsExactly("The database cannot be asked");
	}

	/** They are delayed then, neither ready nor dead. */
	@Test
	void attemptsThatFailAreTold() {
		this.failing = List.of(new RatesApi.Failing("pay <b>", 21, 20));
		assertThat(problems()).extracting(Problem::severity, Problem::title, Problem::link)
			.containsExactly(tuple(Severity.WARN, "Attempts of pay <b> fail", "#/jobs?state=ready&type=pay%20%3Cb%3E"));
	}

	@Test
	void whatCouldNotBeMeasuredIsTold() {
		this.unmeasured = Set.of("schedules");
		assertThat(problems()).extracting(Problem::title).containsExactly("Not everything could be measured");
	}

	@Test
	void theWorstComesFirst() {
		this.archived = Map.of(JobState.DEAD, 2L);
		assertThat(problems(depth(1, 0, 0, 0, Duration.ofMinutes(6)), null))
			.extracting(Problem::severity, Problem::title)
			.containsExactly(tuple(Severity.BAD, "Jobs of queue mail are late"),
					tuple(Severity.INFO, "2 jobs are dead"));
	}

}
