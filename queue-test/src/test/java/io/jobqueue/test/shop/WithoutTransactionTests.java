package io.jobqueue.test.shop;

import io.jobqueue.NewJob;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.transaction.TestTransaction;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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
	void whatIsRolledBackIsNotEnqueued() {
		assertThatIllegalStateException().isThrownBy(() -> this.orders.placeAndFail(8)).withMessage("no stock");
		this.tester.assertThatNoneEnqueued("send-receipt");
	}

}
