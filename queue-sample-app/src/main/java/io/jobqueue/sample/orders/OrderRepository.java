package io.jobqueue.sample.orders;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The table of orders.
 */
@Repository
class OrderRepository {

	private static final String INSERT = """
			INSERT INTO shop_order (reference, customer, email, amount, import_id,
			    receipt_job, ledger_job, charge_job, review_job)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""";

	private static final String SELECT = """
			SELECT o.*, (SELECT COUNT(*) FROM shop_ledger l WHERE l.order_reference = o.reference) AS ledger_entries
			FROM shop_order o
			WHERE\s""";

	private final JdbcClient client;

	private final JdbcTemplate template;

	OrderRepository(JdbcClient client, JdbcTemplate template) {
		this.client = client;
		this.template = template;
	}

	/**
	 * Those of some orders that are not stored, each once.
	 */
	List<Order> unknown(List<Order> orders) {
		// As MySQL compares: without regard to case.
		Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		if (!orders.isEmpty()) {
			known.addAll(this.client.sql("SELECT reference FROM shop_order WHERE reference IN (:references)")
				.param("references", orders.stream().map(Order::reference).toList())
				.query(String.class)
				.list());
		}
		return orders.stream().filter((order) -> known.add(order.reference())).toList();
	}

	/**
	 * Stores orders.
	 * @param orders the orders
	 * @param jobIds the ids of the jobs of all of them, in turn
	 * @param importId the import that they came with, or null
	 */
	void insert(List<Order> orders, List<Long> jobIds, @Nullable Long importId) {
		List<@Nullable Object[]> rows = new ArrayList<>();
		int jobs = OrderJobs.TYPES.size();
		for (int i = 0; i < orders.size(); i++) {
			Order order = orders.get(i);
			List<Long> own = jobIds.subList(i * jobs, (i + 1) * jobs);
			rows.add(new @Nullable Object[] { order.reference(), order.customer(), order.email(), order.amount(),
					importId, own.get(0), own.get(1), own.get(2), own.get(3) });
		}
		this.template.batchUpdate(INSERT, rows);
	}

	Optional<PlacedOrder> find(long id) {
		return this.client.sql(SELECT + "o.id = ?").param(id).query(OrderRepository::read).optional();
	}

	Optional<PlacedOrder> findByReference(String reference) {
		return this.client.sql(SELECT + "o.reference = ?").param(reference).query(OrderRepository::read).optional();
	}

	private static PlacedOrder read(ResultSet row, int number) throws SQLException {
		Map<String, Long> jobs = new LinkedHashMap<>();
		jobs.put("send-receipt", row.getLong("receipt_job"));
		jobs.put("post-to-ledger", row.getLong("ledger_job"));
		jobs.put("charge-card", row.getLong("charge_job"));
		jobs.put("ask-for-review", row.getLong("review_job"));
		Order order = new Order(row.getString("reference"), row.getString("customer"), row.getString("email"),
				row.getBigDecimal("amount"));
		return new PlacedOrder(row.getLong("id"), order, jobs, row.getInt("ledger_entries"),
				row.getBoolean("review_asked"));
	}

}
