package io.jobqueue.worker;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobInterceptor;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.ForEachDatabase;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the application's interceptors may do around a handler, and what fails the
 * attempt.
 */
@ForEachDatabase
class JobInterceptorTests extends NodeTests {

	private final Queue<String> calls = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void createTable() {
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL PRIMARY KEY)");
	}

	private void post(JobContext job) {
		this.calls.add("handler");
		this.node.sql.update("INSERT INTO ledger VALUES (?)", job.id());
	}

	private Job run(String type, JobInterceptor... interceptors) {
		this.node.interceptors.addAll(List.of(interceptors));
		this.node.slots(1)
			.handler("plain", (payload, job) -> post(job))
			.transactionalHandler("exact", (payload, job) -> post(job))
			.start();
		long id = this.node.queue.enqueue(NewJob.of(type).maxAttempts(1));
		Awaitility.await().until(() -> this.node.job(id).finishedAt() != null);
		return this.node.job(id);
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void areCalledAroundTheHandlerInTheirOrder(String type) {
		Job job = run(type, (context, handler) -> {
			this.calls.add("first " + context.type());
			handler.proceed();
			this.calls.add("after first");
		}, (context, handler) -> {
			this.calls.add("second");
			handler.proceed();
		});
		assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(this.calls).containsExactly("first " + type, "second", "handler", "after first");
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneThatDoesNotProceedFailsTheAttempt(String type) {
		assertDead(run(type, (context, handler) -> this.calls.add("only")), "has not proceeded");
		assertThat(this.calls).containsExactly("only");
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneThatProceedsTwiceFailsTheAttemptWhateverItCatches(String type) {
		assertDead(run(type, (context, handler) -> {
			handler.proceed();
			try {
				handler.proceed();
			}
			catch (IllegalStateException ex) {
				this.calls.add("caught");
			}
		}), "more than once");
		assertThat(this.calls).containsExactly("handler", "caught");
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneThatProceedsOnAnotherThreadFailsTheAttempt(String type) {
		assertDead(run(type, (context, handler) -> {
			try {
				CompletableFuture.runAsync(() -> {
					try {
						handler.proceed();
					}
					catch (Exception ex) {
						throw new IllegalStateException(ex.getMessage());
					}
				}).get();
			}
			catch (ExecutionException ex) {
				throw (Exception) ex.getCause();
			}
		}), "another thread");
		assertThat(this.calls).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneThatThrowsAfterwardsFailsTheAttempt(String type) {
		assertDead(run(type, (context, handler) -> {
			handler.proceed();
			throw new IllegalStateException("after all");
		}), "after all");
		assertThat(this.node.count("ledger")).as("what is transactional is rolled back")
			.isEqualTo(type.equals("exact") ? 0 : 1);
	}

	/** The outer one may do so with what the handler throws. */
	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneThatDoesNotProceedFailsTheAttemptThoughAnotherSwallowsThat(String type) {
		assertDead(run(type, JobInterceptorTests::swallowing, (context, handler) -> this.calls.add("inner")),
				"has not proceeded");
		assertThat(this.calls).containsExactly("inner");
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneMaySwallowWhatTheHandlerThrows(String type) {
		this.node.sql.execute("DROP TABLE ledger");
		assertThat(run(type, JobInterceptorTests::swallowing).state()).isEqualTo(JobState.SUCCEEDED);
	}

	private static void swallowing(JobContext job, JobInterceptor.Call handler) {
		try {
			handler.proceed();
		}
		catch (Exception ex) {
			// Taken for handled.
		}
	}

	/** What it has kept would run the job of another attempt, on the same thread. */
	@Test
	void oneMayNotProceedLater() {
		AtomicReference<JobInterceptor.Call> kept = new AtomicReference<>();
		assertDead(run("plain", (context, handler) -> {
			JobInterceptor.Call earlier = kept.getAndSet(handler);
			if (earlier != null) {
				assertThatIllegalStateException().isThrownBy(earlier::proceed);
				handler.proceed();
			}
		}), "has not proceeded");
		this.node.await(this.node.queue.enqueue("plain"), JobState.SUCCEEDED);
		assertThat(this.calls).containsExactly("handler");
	}

	@Test
	void oneMayNotMoveATransactionalHandlerOutOfItsTransactionEvenIfItSwallowsTheRefusal() {
		TransactionTemplate apart = new TransactionTemplate(new JdbcTransactionManager(this.node.dataSource),
				new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		assertDead(
				run("exact",
						(context, handler) -> apart.executeWithoutResult((status) -> swallowing(context, handler))),
				"transaction of its own");
		assertThat(this.calls).isEmpty();
	}

	@Test
	void oneMayNotMoveATransactionalHandlerOutOfItsTransaction() {
		TransactionTemplate apart = new TransactionTemplate(new JdbcTransactionManager(this.node.dataSource),
				new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		assertDead(run("exact", (context, handler) -> apart.executeWithoutResult((status) -> {
			try {
				handler.proceed();
			}
			catch (RuntimeException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		})), "transaction of its own");
		assertThat(this.calls).isEmpty();
		assertThat(this.node.count("ledger")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "exact" })
	void oneThatLeavesATransactionOpenFailsTheAttempt(String type) {
		assertDead(run(type, (context, handler) -> {
			handler.proceed();
			new JdbcTransactionManager(this.node.dataSource)
				.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		}), "without ending it");
	}

	private static void assertDead(Job job, String message) {
		assertThat(job.state()).isEqualTo(JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).contains(message);
	}

}
