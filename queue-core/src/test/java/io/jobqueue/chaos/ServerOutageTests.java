package io.jobqueue.chaos;

import java.nio.file.Path;
import java.time.Duration;

import io.jobqueue.test.MySqlProcess;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The server is killed under load, is away, or stands still.
 */
class ServerOutageTests extends ChaosTests {

	private static final int KILLS = FULL ? 20 : 2;

	private static final Duration AWAY = FULL ? Duration.ofSeconds(60) : Duration.ofSeconds(8);

	private static final Duration FROZEN = FULL ? Duration.ofSeconds(30) : Duration.ofSeconds(8);

	private MySqlProcess server;

	@Override
	TestSchema createSchema() {
		Path mysqld = MySqlProcess.program();
		assumeTrue(mysqld != null, "no mysqld on the PATH; .ci/mysql can bring one");
		this.server = MySqlProcess.start(mysqld);
		return this.server.createSchema();
	}

	@Override
	void end() {
		super.end();
		if (this.server != null) {
			this.server.close();
		}
	}

	@Test
	void killedAgainAndAgain() throws InterruptedException {
		startWorkers();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		for (int i = 0; i < KILLS; i++) {
			Thread.sleep(2000 + this.chaos.random.nextInt(3000));
			this.chaos.history.note("kill the server");
			this.server.kill();
			this.server.start();
		}
		checkAfterwards(producer);
	}

	@Test
	void away() throws InterruptedException {
		startWorkers();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		Thread.sleep(3000);
		this.chaos.history.note("kill the server");
		this.server.kill();
		Thread.sleep(AWAY.toMillis());
		this.server.start();
		checkAfterwards(producer);
	}

	@Test
	void frozen() throws InterruptedException {
		startWorkers();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		Thread.sleep(3000);
		this.chaos.history.note("freeze the server");
		this.server.signal("STOP");
		Thread.sleep(FROZEN.toMillis());
		this.server.signal("CONT");
		checkAfterwards(producer);
	}

	private void startWorkers() {
		this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
	}

	private void checkAfterwards(Producer producer) throws InterruptedException {
		Thread.sleep(3000);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(this.chaos.sql.queryForList("SELECT DISTINCT attempt FROM jobqueue_archive WHERE type <> 'failing'",
				Integer.class))
			.as("attempts; the outage spends none")
			.containsOnly(1);
	}

}
