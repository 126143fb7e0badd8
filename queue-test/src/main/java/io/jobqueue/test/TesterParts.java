package io.jobqueue.test;

import io.jobqueue.node.QueueNode;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;

/**
 * What the application has, and a test runs jobs with.
 *
 * @param node the application's node
 * @param storeSettings what is kept, and where
 * @param handlers the application's handlers
 * @param transaction the unit of its transactional handlers
 * @param settings how its worker works
 * @param extensions what it has around its handlers
 */
record TesterParts(QueueNode node, StoreSettings storeSettings, Handlers handlers, HandlerTransaction transaction,
		WorkerSettings settings, Extensions extensions) {

	/**
	 * Which jobs its worker runs.
	 */
	Served served() {
		return new Served(this.handlers.types(), this.settings.queues());
	}

}
