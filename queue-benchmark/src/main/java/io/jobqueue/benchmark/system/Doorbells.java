package io.jobqueue.benchmark.system;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;
import org.jspecify.annotations.Nullable;

/**
 * Tells other nodes of new jobs, and is told by them once there is a worker.
 */
final class Doorbells {

	private final QueueNode node;

	private final HikariDataSource pool;

	private CrossNodeWakeUp wakeUp;

	Doorbells(QueueNode node, HikariDataSource pool) {
		this.node = node;
		this.pool = pool;
		this.wakeUp = started(null);
	}

	private CrossNodeWakeUp started(@Nullable Worker own) {
		CrossNodeWakeUp started = this.node.wakeUp(this.pool::evictConnection, (own != null) ? own::wakeUp : null);
		this.node.listeners().add(started);
		started.start();
		return started;
	}

	/** Has a worker woken by others. */
	void wake(Worker own) {
		stop();
		this.wakeUp = started(own);
	}

	void stop() {
		this.node.listeners().remove(this.wakeUp);
		this.wakeUp.stop();
	}

}
