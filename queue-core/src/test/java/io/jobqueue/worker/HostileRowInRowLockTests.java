package io.jobqueue.worker;

import io.jobqueue.QueueMode;
import io.jobqueue.test.Thorough;

/**
 * Rows that any program may insert, in a row-lock queue.
 */
class HostileRowInRowLockTests extends HostileRowTests {

	@Override
	QueueMode mode() {
		Thorough.unlessOnMySql(this.testDatabase);
		return QueueMode.ROW_LOCK;
	}

	/** Nobody can change a row that is locked. */
	@Override
	void whatBecomesHostileWhileItRunsSucceeds(String column, String value) {
	}

	/** Of another queue, which is in the other mode. */
	@Override
	void aQueuesNameThatEndsWithABlankIsThatQueue() {
	}

}
