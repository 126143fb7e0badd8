package io.jobqueue.sample.ledger;

import java.math.BigDecimal;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shows whether the ledger is exact.
 */
@RestController
class LedgerController {

	private final JdbcClient client;

	LedgerController(JdbcClient client) {
		this.client = client;
	}

	@GetMapping("/ledger")
	Summary show() {
		return this.client.sql("""
				SELECT COUNT(*) AS entries, COALESCE(SUM(amount), 0) AS total, COUNT(DISTINCT order_reference) AS orders
				FROM shop_ledger""")
			.query((row, number) -> new Summary(row.getLong("entries"), row.getBigDecimal("total"),
					row.getLong("orders"), row.getLong("entries") - row.getLong("orders")))
			.single();
	}

	/**
	 * The ledger in numbers.
	 *
	 * @param entries how many entries it has
	 * @param sum the sum of their amounts
	 * @param orders for how many orders
	 * @param duplicates how many entries are too many: none, ever
	 */
	record Summary(long entries, BigDecimal sum, long orders, long duplicates) {

	}

}
