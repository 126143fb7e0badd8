package io.jobqueue.node;

import java.util.function.LongSupplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.jdbc.limit.JdbcLimits;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;

/**
 * Where the keys are for which jobs wait.
 *
 * @param orderKeys the order keys
 * @param limits the limits, and their keys
 */
public record KeyStores(OrderKeys orderKeys, LimitStore limits) {

	/**
	 * The stores in SQL.
	 * @param database the database, with the queue's tables in it
	 * @return the stores
	 */
	public static KeyStores on(Database database) {
		return on(database, System::nanoTime);
	}

	static KeyStores on(Database database, LongSupplier nanoTime) {
		return new KeyStores(new JdbcOrderKeys(database, nanoTime), new JdbcLimits(database));
	}

}
