package io.jobqueue.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.jobqueue.ScheduleStatus;
import io.jobqueue.test.Programs;
import io.jobqueue.test.ServerProcess;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The server's clock jumps under load, by more than a session timeout.
 */
@TakesLong
class ServerClockTests extends ChaosTests {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	private static final Duration LONG_JOB = Duration.ofSeconds(25);

	private ServerProcess server;

	private Path time;

	@Override
	TestSchema createSchema() {
		require(Programs.MYSQLD);
		require(Programs.FAKETIME);
		Path folder = ServerProcess.newFolder();
		this.time = folder.resolve("time");
		offset("+0");
		this.server = closedAtEnd(ServerProcess.mysql(folder, List.of("env", "LD_PRELOAD=" + Programs.FAKETIME.path(),
				"FAKETIME_TIMESTAMP_FILE=" + this.time, "FAKETIME_CACHE_DURATION=1", "DONT_FAKE_MONOTONIC=1")));
		return this.server.createSchema();
	}

	@Test
	void aheadEndsNoSessionAndSpendsNoAttempt() throws InterruptedException {
		jump("+300");
	}

	/**
	 * What was enqueued just before is due later, by as much.
	 */
	@Test
	void backLosesAndDoublesNothing() throws InterruptedException {
		jump("-20");
	}

	@Test
	void aheadFiresNoTickTwice() throws InterruptedException {
		jumpWithSchedules("+300");
	}

	@Test
	void backFiresNoTickTwiceAndPullsBackTheNextOnes() throws InterruptedException {
		jumpWithSchedules("-60");
	}

	private void jumpWithSchedules(String offset) throws InterruptedException {
		startWorker();
		startWorker();
		Ticks ticks = new Ticks(this.chaos);
		Thread.sleep(10_000);
		offset(offset);
		Thread.sleep(20_000);
		long seconds = Long.parseLong(offset.replace("+", ""));
		awaitTicks((one) -> !one.name().equals("once") || isNear(one.next(), Instant.now().plusSeconds(seconds), 3));
		// And to the right time again.
		offset("+0");
		Thread.sleep(20_000);
		awaitTicks((one) -> isNear(one.next(), Instant.now(), 30));
		Map<String, ScheduleStatus> ended = ticks.end(Duration.ofSeconds(Math.max(0, seconds)));
		assertThat(ticks.violations(ended)).as("doubled, seed %d", this.chaos.seed).isEmpty();
	}

	private void awaitTicks(Predicate<ScheduleStatus> near) {
		Awaitility.await("next ticks")
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(this.chaos.schedules.all()).allMatch(near));
	}

	private static boolean isNear(Instant tick, Instant expected, long seconds) {
		return Duration.between(expected, tick).abs().compareTo(Duration.ofSeconds(seconds)) < 0;
	}

	private void jump(String offset) throws InterruptedException {
		WorkerProcess one = startWorker();
		WorkerProcess other = startWorker();
		List<Long> sessions = List.of(this.chaos.tables.session(one), this.chaos.tables.session(other));
		this.chaos.history.databaseClockJumps();
		Producer producer = this.chaos.producer(Duration.ofMillis(50));
		long running = this.chaos.enqueue(ChaosWorker.EFFECT, LONG_JOB);
		Awaitility.await("it runs").until(() -> hasStarted(one, running) || hasStarted(other, running));
		long before = secondsAhead();
		this.chaos.history.note("the server's clock jumps by " + offset + " s");
		offset(offset);
		Thread.sleep(SESSION_TIMEOUT.multipliedBy(3).toMillis());
		assertThat(secondsAhead() - before).isCloseTo(Long.parseLong(offset.replace("+", "")), within(2L));
		producer.stop();
		Awaitility.await("job " + running + " succeeds")
			.atMost(Duration.ofMinutes(2))
			.until(() -> ids("state = 3").contains(running));
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(List.of(this.chaos.tables.session(one), this.chaos.tables.session(other))).as("sessions")
			.isEqualTo(sessions);
		assertThat(ids("crashes > 0 OR (type <> 'failing' AND attempt <> 1)")).as("taken from their workers").isEmpty();
	}

	private WorkerProcess startWorker() {
		return this.chaos.start(this.chaos.worker().withSessionTimeout(SESSION_TIMEOUT)).awaitReady();
	}

	private static boolean hasStarted(WorkerProcess worker, long id) {
		return worker.started().stream().anyMatch((claim) -> claim.id() == id);
	}

	private void offset(String seconds) {
		try {
			Files.writeString(this.time, seconds);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private long secondsAhead() {
		return Long.parseLong(this.server.query("SELECT FLOOR(UNIX_TIMESTAMP(NOW(6)))", 1))
				- System.currentTimeMillis() / 1000;
	}

	private List<Long> ids(String condition) {
		return this.chaos.sql.queryForList("SELECT id FROM jobqueue_archive WHERE " + condition, Long.class);
	}

}
