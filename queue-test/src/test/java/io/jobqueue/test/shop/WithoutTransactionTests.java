package io.jobqueue.test.shop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.jobqueue.NewJob;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.transaction.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.willAnswer;

/**
 * The tester in tests whose transactions commit, on an embedded database.
 */
class WithoutTransactionTests extends AbstractTesterTests {

	/**
	 * Spring looks for {@code @Transactional} at the class that declares a test, which is
	 * the same for both.
	 */
	@BeforeEach
	void endTransaction() {
		TestTransaction.end();
		clear();
	}

	@AfterEach
	void clear() {
		this.tester.clear();
		this.sql.sql("DELETE FROM effects").update();
		this.sql.sql("DELETE FROM orders").update();
	}

	@Test
	void aHandlerThatEnqueuesItselfIsFound() {
		this.jobs.enqueue(NewJob.of("again"));
		assertThatIllegalStateException().isThrownBy(this.tester::runDue)
			.withMessageContaining("enqueues its own job again");
	}

	@Test
	void aDatabaseOnWhichAnotherWorkerRunsIsLeftAlone() {
		this.jobs.enqueue(NewJob.of("second", 1));
		this.sql
			.sql("INSERT INTO jobqueue_session (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, "
					+ "types) VALUES (7, 'production', '2026-01-01 00:00:00', '2026-01-01 00:00:00', TIMESTAMPADD(SECOND, 15, CURRENT_TIMESTAMP), 1, 0, "
					+ "'', '')")
			.update();
		try {
			assertThatIllegalStateException().isThrownBy(this.tester::clear).withMessageContaining("production");
			assertThatIllegalStateException().isThrownBy(this.tester::runDue).withMessageContaining("production");
			assertThatIllegalStateException().isThrownBy(this.tester::startWorker).withMessageContaining("production");
			this.tester.advance(Duration.ofDays(1));
			assertThatIllegalStateException().as("which lives by the present time, not by the test's")
				.isThrownBy(this.tester::clear)
				.withMessageContaining("production");
			assertThatIllegalStateException().isThrownBy(this.tester::runDue).withMessageContaining("production");
		}
		finally {
			this.sql.sql("DELETE FROM jobqueue_session").update();
		}
		assertThat(this.tester.runDue().of("second").count()).as("and works again").isEqualTo(1);
	}

	@Test
	void aHandlerCannotCallTheTester() {
		willAnswer((call) -> this.tester.runDue()).given(this.mailer).send("ada@example.org");
		this.jobs.enqueue(NewJob.of("send-receipt", new Shop.Receipt(1, "ada@example.org")).maxAttempts(1));
		assertThat(this.tester.runDue().of("send-receipt").all()).singleElement()
			.satisfies((run) -> assertThat(run.thrown()).hasMessageContaining("has called the tester"));
	}

	@Test
	void whatAHandlerEnqueuesOnAnotherThreadRunsToo() {
		willAnswer((call) -> CompletableFuture.supplyAsync(() -> this.jobs.enqueue(NewJob.of("second", 5))).get())
			.given(this.mailer)
			.send("ada@example.org");
		this.jobs.enqueue(NewJob.of("send-receipt", new Shop.Receipt(1, "ada@example.org")));
		assertThat(this.tester.runDue().assertNoneFailed().of("second").count()).isEqualTo(1);
	}

	@Test
	void whatIsRolledBackIsNotEnqueued() {
		assertThatIllegalStateException().isThrownBy(() -> this.orders.placeAndFail(8)).withMessage("no stock");
		this.tester.assertThatNoneEnqueued("send-receipt");
	}

}
