package io.jobqueue.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.ForEachDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that begin a transaction by hand and do not end it.
 */
@ForEachDatabase
class LeakedTransactionTests extends NodeTests {

	private final Queue<Long> threads = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void createTable() {
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL PRIMARY KEY)");
	}

	private void leak(int propagation) {
		new JdbcTransactionManager(this.node.dataSource).getTransaction(new DefaultTransactionDefinition(propagation));
	}

	private void post(long jobId) {
		this.threads.add(Thread.currentThread().getId());
		this.node.sql.update("INSERT INTO ledger VALUES (?)", jobId);
	}

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	void fail(boolean transactional, boolean throwing) {
		String type = transactional ? "leaking-transactional" : "leaking";
		Handler.Invocation leaking = (payload, job) -> {
			leak(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			post(job.id());
			if (throwing) {
				throw new IllegalStateException("with its transaction open");
			}
		};
		this.node.slots(1)
			.handler("leaking", leaking)
			.transactionalHandler("leaking-transactional", leaking)
			.transactionalHandler("post", (payload, job) -> post(job.id()))
			.handler("post-plainly", (payload, job) -> post(job.id()))
			.start();
		Job leaked = this.node.await(this.node.queue.enqueue(NewJob.of(type).maxAttempts(1)), JobState.DEAD);
		assertThat(leaked.lastError().orElseThrow().message()).contains(
				throwing ? "with its transaction open" : "has begun a transaction and returned without ending it");
		List<Long> later = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			later.add(this.node.queue.enqueue("post"));
			later.add(this.node.queue.enqueue("post-plainly"));
		}
		later.forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
		assertThat(this.node.sql.queryForList("SELECT job_id FROM ledger ORDER BY job_id", Long.class))
			.containsExactlyElementsOf(later);
		Set<Long> laterThreads = new ConcurrentSkipListSet<>(this.threads);
		laterThreads.remove(this.threads.peek());
		assertThat(this.threads.stream().filter(this.threads.peek()::equals)).as("what ran on the leaking thread")
			.hasSize(1);
		assertThat(laterThreads).hasSize(1);
		HikariDataSource pool = (HikariDataSource) this.node.dataSource;
		Awaitility.await("the leaked connection is back")
			.until(() -> pool.getHikariPoolMXBean().getActiveConnections() <= 1);
	}

	/**
	 * What the handler has joined is the worker's own transaction, not one of its own.
	 */
	@ParameterizedTest
	@CsvSource({ "false", "true" })
	void withoutANewTransaction(boolean transactional) {
		Handler.Invocation leaking = (payload, job) -> {
			leak(TransactionDefinition.PROPAGATION_REQUIRED);
			post(job.id());
		};
		if (transactional) {
			this.node.transactionalHandler("leaking", leaking);
		}
		else {
			this.node.handler("leaking", leaking);
		}
		this.node.slots(1).transactionalHandler("post", (payload, job) -> post(job.id())).start();
		long leaked = this.node.queue.enqueue(NewJob.of("leaking").maxAttempts(1));
		this.node.await(leaked, transactional ? JobState.SUCCEEDED : JobState.DEAD);
		long later = this.node.queue.enqueue("post");
		this.node.await(later, JobState.SUCCEEDED);
		assertThat(this.node.sql.queryForList("SELECT job_id FROM ledger ORDER BY job_id", Long.class))
			.containsExactlyElementsOf(transactional ? List.of(leaked, later) : List.of(later));
	}

}
