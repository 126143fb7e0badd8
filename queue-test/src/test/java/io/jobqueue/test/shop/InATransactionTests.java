package io.jobqueue.test.shop;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.context.transaction.BeforeTransaction;
import org.springframework.test.context.transaction.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tester in tests that roll back, on an embedded database.
 */
class InATransactionTests extends AbstractTesterTests {

	private static final List<String> TABLES = List.of("jobqueue_job", "jobqueue_archive", "jobqueue_session",
			"jobqueue_schedule", "jobqueue_tick", "jobqueue_error", "jobqueue_order_key", "jobqueue_order_change",
			"jobqueue_unique_key", "jobqueue_allowance", "jobqueue_limit_running", "jobqueue_dead_job", "effects",
			"orders");

	private Map<String, Long> before;

	@BeforeTransaction
	void before() {
		this.before = rows();
	}

	@AfterTransaction
	void nothingIsLeft() {
		assertThat(rows()).isEqualTo(this.before);
	}

	private Map<String, Long> rows() {
		Map<String, Long> rows = new LinkedHashMap<>();
		TABLES.forEach(
				(table) -> rows.put(table, this.sql.sql("SELECT COUNT(*) FROM " + table).query(Long.class).single()));
		return rows;
	}

	@Test
	void theTestIsATransaction() {
		assertThat(TestTransaction.isActive()).isTrue();
		assertThat(this.tester.enqueued()).isEmpty();
	}

}
