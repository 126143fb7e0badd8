package io.jobqueue.chaos;

import java.time.Duration;

import io.jobqueue.test.Programs;
import io.jobqueue.test.ServerProcess;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server is killed under load, is away, or stands still.
 */
class ServerOutageTests extends WayTests {

	private static final Duration AWAY = Duration.ofSeconds(60);

	private ServerProcess server;

	@Override
	TestSchema createSchema() {
		require(Programs.MYSQLD);
		this.server = closedAtEnd(ServerProcess.mysql());
		return this.server.createSchema();
	}

	@Test
	@BesideOthers
	void killedAgainAndAgain() throws InterruptedException {
		Producer producer = underLoad();
		int kills = choose(20, 4, 2);
		for (int i = 0; i < kills; i++) {
			Thread.sleep(2000 + this.chaos.random.nextInt(3000));
			this.chaos.history.note("kill the server");
			this.server.kill();
			this.server.start();
		}
		checkAfterwards(producer);
	}

	@Test
	@BesideOthers
	@TakesLong
	void away() throws InterruptedException {
		Producer producer = underLoad();
		Thread.sleep(3000);
		this.chaos.history.note("kill the server");
		this.server.kill();
		Thread.sleep(AWAY.toMillis());
		this.server.start();
		checkAfterwards(producer);
	}

	@Test
	@BesideOthers
	@TakesLong
	void frozen() throws InterruptedException {
		Producer producer = underLoad();
		Thread.sleep(3000);
		this.chaos.history.note("freeze the server");
		this.server.signal("STOP");
		Thread.sleep(choose(30_000, 10_000));
		this.server.signal("CONT");
		checkAfterwards(producer);
	}

	private Producer underLoad() {
		this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.pauseNowAndThen();
		return this.chaos.producer(PACE);
	}

	private void checkAfterwards(Producer producer) throws InterruptedException {
		Thread.sleep(3000);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.awaitFullLimits();
		this.chaos.check();
		assertThat(this.chaos.sql.queryForList("SELECT DISTINCT attempt FROM jobqueue_archive WHERE type <> 'failing'",
				Integer.class))
			.as("attempts; the outage spends none")
			.containsOnly(1);
	}

}
