package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A worker whose connections have all gone silent, as when the server's host has vanished
 * and another has taken its address.
 */
class VanishedServerTests {

	private static final Duration LIMIT = Duration.ofSeconds(1);

	/**
	 * A transactional handler's ack and commit are the queue's own statements, too.
	 */
	@ParameterizedTest
	@EnumSource
	void theWorkerGoesOnOverNewConnectionsByItself(Before before) throws Exception {
		TestDatabase mysql = TestDatabase.MYSQL;
		assumeTrue(mysql.isAvailable(), mysql::whyNot);
		try (TestSchema schema = mysql.create(); Wire proxy = new Wire(schema.jdbcUrl())) {
			HikariDataSource pool = schema.pool((settings) -> {
				settings.setJdbcUrl(proxy.jdbcUrl());
				settings.setValidationTimeout(LIMIT.toMillis());
			});
			CountDownLatch running = new CountDownLatch(4);
			CountDownLatch silent = new CountDownLatch(1);
			try (TestNode node = new TestNode(pool, new Database(pool, LIMIT)); TestNode checked = other(schema)) {
				Handler.Invocation wait = (payload, job) -> {
					running.countDown();
					silent.await();
				};
				switch (before) {
					case FINISH -> node.handler("work", wait);
					case ACK -> node.transactionalHandler("work", wait);
					case COMMIT -> node.transactionalHandler("work", (payload, job) -> NodeTests.beforeCommit(() -> {
						running.countDown();
						NodeTests.awaitUninterruptibly(silent);
					}));
				}
				node.start();
				enqueue(checked, 20);
				assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
				assertThat(proxy.silence()).isPositive();
				// The pool hands connections out unchecked half a second after their last
				// use.
				TimeUnit.MILLISECONDS.sleep(600);
				silent.countDown();
				enqueue(checked, 20);
				checked.awaitEmpty();
				assertThat(
						checked.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
					.isEqualTo(40);
			}
			finally {
				pool.close();
			}
		}
	}

	/**
	 * What the server is away for.
	 */
	enum Before {

		FINISH, ACK, COMMIT

	}

	/** Looks at the same tables over connections that stay as they are. */
	private static TestNode other(TestSchema schema) {
		return new TestNode(schema.dataSource());
	}

	private static void enqueue(TestNode node, int jobs) {
		List<NewJob> work = IntStream.range(0, jobs).mapToObj((number) -> NewJob.of("work")).toList();
		node.queue.enqueueAll(work);
	}

}
