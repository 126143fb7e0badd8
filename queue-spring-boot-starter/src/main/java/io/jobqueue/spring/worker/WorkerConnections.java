package io.jobqueue.spring.worker;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.util.ClassUtils;

/**
 * How many connections a worker needs, and how many its pool has.
 */
public final class WorkerConnections {

	/**
	 * The heartbeat keeps one connection; one more must be free for whatever else the
	 * slots may wait for.
	 */
	private static final int BESIDE_SLOTS = 2;

	private static final int LEAST = 3;

	/** One to wait and one to ring. */
	private static final int OF_DOORBELL = 2;

	private final int pool;

	private final int slots;

	private final int ofDoorbell;

	/**
	 * Looks at a pool.
	 * @param dataSource the queue's DataSource
	 * @param slots how many attempts run at once
	 * @param doorbell whether the worker is woken by other nodes
	 */
	public WorkerConnections(DataSource dataSource, int slots, boolean doorbell) {
		this.pool = poolSize(dataSource);
		this.slots = slots;
		this.ofDoorbell = doorbell ? OF_DOORBELL : 0;
	}

	private static int poolSize(DataSource dataSource) {
		if (ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", WorkerConnections.class.getClassLoader())) {
			HikariDataSource hikari = DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class,
					HikariDataSource.class);
			if (hikari != null) {
				return hikari.getMaximumPoolSize();
			}
		}
		return Integer.MAX_VALUE;
	}

	/**
	 * How many the pool has at most; {@code Integer.MAX_VALUE} if it is of a kind that
	 * cannot be asked.
	 */
	int most() {
		return this.pool;
	}

	/**
	 * How many a worker needs whose jobs need none.
	 */
	int least() {
		return LEAST + this.ofDoorbell;
	}

	/**
	 * How many it needs if each running job keeps one.
	 */
	int leastWithOneForEachSlot() {
		return this.slots + BESIDE_SLOTS + this.ofDoorbell;
	}

	/**
	 * Why the worker must not run jobs of queues in the mode row-lock.
	 * @return a sentence; empty if it may
	 */
	public String rowLockProblem() {
		return (this.pool >= leastWithOneForEachSlot()) ? ""
				: "each of them keeps a connection while it runs, and with " + this.slots + " slots the pool needs "
						+ leastWithOneForEachSlot() + " connections, but it has " + this.pool
						+ " at most. Raise that, or lower jobqueue.worker.concurrency, and start the application again";
	}

}
