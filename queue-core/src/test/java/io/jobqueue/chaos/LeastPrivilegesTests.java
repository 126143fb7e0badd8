package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.StoredJobQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Once the tables are there, the application's user may read and write rows and nothing
 * else.
 */
class LeastPrivilegesTests extends WayTests {

	private static final String PASSWORD = "secret";

	@Test
	void aUserWhoMayOnlyReadAndWriteRowsDoesEverything() throws InterruptedException {
		String user = "u" + UUID.randomUUID().toString().substring(0, 8);
		this.chaos.sql.execute("CREATE USER " + user + " IDENTIFIED BY '" + PASSWORD + "'");
		try {
			liveAs(user);
		}
		finally {
			this.chaos.sql.execute("DROP USER " + user);
		}
	}

	private void liveAs(String user) throws InterruptedException {
		this.chaos.sql.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON "
				+ this.chaos.sql.queryForObject("SELECT DATABASE()", String.class) + ".* TO " + user);
		HikariDataSource pool = this.chaos.schema.pool((config) -> {
			config.setUsername(user);
			config.setPassword(PASSWORD);
		});
		WorkerProcess first = this.chaos.start(this.chaos.worker().withUser(user, PASSWORD)).awaitReady();
		this.chaos.start(this.chaos.worker().withUser(user, PASSWORD)).awaitReady();
		Producer producer = this.chaos.producer(pool, PACE);
		Thread.sleep(2000);
		first.kill();
		operate(Producer.queue(pool));
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(this.chaos.sql.queryForList("SELECT DISTINCT worker FROM effect", String.class)).isNotEmpty();
	}

	/** What the checker does not know of is kept from it. */
	private void operate(StoredJobQueue queue) {
		queue.pause("other");
		queue.resume("other");
		List<Long> ids = queue.enqueueAll(List.of(NewJob.of("cancelled", "token=1 ").delay(Duration.ofHours(1)),
				NewJob.of(ChaosWorker.FAILING, "token=2 ").maxAttempts(1)));
		assertThat(queue.cancel(ids.get(0))).isTrue();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> queue.find(ids.get(1)).orElseThrow().state() == JobState.DEAD);
		assertThat(queue.redrive(ids.get(1))).isTrue();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> queue.find(ids.get(1)).orElseThrow().state() == JobState.DEAD);
		this.chaos.sql.update("DELETE FROM jobqueue_archive WHERE id IN (?, ?)", ids.get(0), ids.get(1));
	}

}
