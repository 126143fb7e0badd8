package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.jobqueue.test.Programs;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The clocks of two workers are an hour off, one either way. Time that passes is the same
 * for all.
 */
@TakesLong
class ClockTests extends ChaosTests {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	private static final Duration SEVERAL_SESSIONS = SESSION_TIMEOUT.multipliedBy(2);

	private static final int JOBS = 20;

	@Override
	TestSchema createSchema() {
		require(Programs.FAKETIME);
		return super.createSchema();
	}

	@Test
	void nothingIsClaimedOrRescuedEarly() {
		WorkerProcess ahead = startAt("+1h");
		WorkerProcess behind = startAt("-1h");
		List<Long> sessions = List.of(this.chaos.tables.session(ahead), this.chaos.tables.session(behind));
		Producer producer = this.chaos.producer(Duration.ofMillis(50));
		for (int i = 0; i < JOBS; i++) {
			this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ZERO, (job) -> job.delay(SEVERAL_SESSIONS));
		}
		long running = this.chaos.enqueue(ChaosWorker.EFFECT, SEVERAL_SESSIONS.multipliedBy(2));
		awaitSuccess(running);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(List.of(this.chaos.tables.session(ahead), this.chaos.tables.session(behind))).as("sessions")
			.isEqualTo(sessions);
		assertThat(ids("claimed_at < available_at")).as("claimed early").isEmpty();
		assertThat(ids("crashes > 0 OR (type <> 'failing' AND attempt <> 1)")).as("rescued early").isEmpty();
		assertThat(this.chaos.sql.queryForList("SELECT DISTINCT worker FROM effect", String.class)).as("took part")
			.containsExactlyInAnyOrder(ahead.name(), behind.name());
	}

	@Test
	void aWorkerThatDiesIsNoticedInTime() {
		WorkerProcess ahead = startAt("+1h");
		long running = this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ofSeconds(5));
		Awaitility.await("it runs").until(() -> !ahead.started().isEmpty());
		ahead.kill();
		startAt("-1h");
		awaitSuccess(running);
		this.chaos.check();
		assertThat(this.chaos.sql.queryForObject(
				"SELECT TIMESTAMPDIFF(SECOND, enqueued_at, claimed_at) FROM jobqueue_archive WHERE id = ?", Long.class,
				running))
			.as("seconds until it ran again")
			.isBetween(SESSION_TIMEOUT.dividedBy(2).toSeconds(), SESSION_TIMEOUT.plusSeconds(20).toSeconds());
	}

	private WorkerProcess startAt(String time) {
		Map<String, String> environment = Map.of("LD_PRELOAD", Programs.FAKETIME.path().toString(), "FAKETIME", time,
				"DONT_FAKE_MONOTONIC", "1");
		WorkerProcess worker = this.chaos.start(this.chaos.worker().withSessionTimeout(SESSION_TIMEOUT), environment)
			.awaitReady();
		assertThat(worker.clockAhead().abs()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
		return worker;
	}

	private void awaitSuccess(long id) {
		Awaitility.await("job " + id + " succeeds")
			.atMost(Duration.ofMinutes(2))
			.until(() -> ids("state = 3").contains(id));
	}

	private List<Long> ids(String condition) {
		return this.chaos.sql.queryForList("SELECT id FROM jobqueue_archive WHERE " + condition, Long.class);
	}

}
