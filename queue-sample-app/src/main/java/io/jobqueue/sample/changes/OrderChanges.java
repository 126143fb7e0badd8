package io.jobqueue.sample.changes;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;

import io.jobqueue.JobQueue;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Changes orders. Whoever changes an order locks its row, so changes of one order come
 * one after another; the order key lets their mails leave in the same order.
 */
@Service
class OrderChanges {

	private final JdbcClient client;

	private final JobQueue jobQueue;

	OrderChanges(JdbcClient client, JobQueue jobQueue) {
		this.client = client;
		this.jobQueue = jobQueue;
	}

	/**
	 * Changes an order.
	 * @param orderId the order
	 * @param text what has changed
	 * @return the change; empty if there is no such order
	 */
	@Transactional
	public Optional<OrderChange> change(long orderId, String text) {
		if (this.client.sql("SELECT id FROM shop_order WHERE id = ? FOR UPDATE")
			.param(orderId)
			.query(Long.class)
			.optional()
			.isEmpty()) {
			return Optional.empty();
		}
		long number = 1 + this.client.sql("SELECT COUNT(*) FROM shop_order_change WHERE order_id = ?")
			.param(orderId)
			.query(Long.class)
			.single();
		OrderChange change = new OrderChange(orderId, number, text);
		this.client.sql("INSERT INTO shop_order_change (order_id, number, text) VALUES (?, ?, ?)")
			.params(orderId, number, text)
			.update();
		this.jobQueue.enqueue(ChangeMailsJobs.mailOrderChange(change).orderKey("order-" + orderId));
		return Optional.of(change);
	}

	/**
	 * The changes of an order.
	 */
	List<MailedChange> of(long orderId) {
		return this.client
			.sql("SELECT number, text, mailed_at FROM shop_order_change WHERE order_id = ? ORDER BY number")
			.param(orderId)
			.query((row, number) -> new MailedChange(row.getLong("number"), row.getString("text"),
					row.getObject("mailed_at", LocalDateTime.class)))
			.list();
	}

	/**
	 * A change, and when its mail was sent.
	 *
	 * @param number the first change of an order is 1
	 * @param text what has changed
	 * @param mailedAt when, in UTC; null if it was not sent yet
	 */
	record MailedChange(long number, String text, @Nullable LocalDateTime mailedAt) {

	}

}
