package io.jobqueue.node;

import java.util.function.Supplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.KeysInUse;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.jdbc.limit.JdbcLimits;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import io.jobqueue.store.jdbc.table.ReadKeysInUse;

/**
 * Where the keys are for which jobs wait.
 *
 * @param orderKeys the order keys
 * @param limits the limits, and their keys
 * @param inUse asks which of them there are
 */
public record KeyStores(OrderKeys orderKeys, LimitStore limits, Supplier<KeysInUse> inUse) {

	/**
	 * The stores in SQL.
	 * @param database the database, with the queue's tables in it
	 * @return the stores
	 */
	public static KeyStores on(Database database) {
		return new KeyStores(new JdbcOrderKeys(database, System::nanoTime), new JdbcLimits(database),
				new ReadKeysInUse(database));
	}

}
