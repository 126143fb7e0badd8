package io.jobqueue.worker;

import java.util.concurrent.CountDownLatch;

import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.test.Thorough;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers whose effects and ack commit together, in a row-lock queue.
 */
class TransactionalHandlerInRowLockTests extends TransactionalHandlerTests {

	@Override
	QueueMode mode() {
		Thorough.unlessOnMySql(this.testDatabase);
		return QueueMode.ROW_LOCK;
	}

	@Override
	@Test
	void whatAHandlerDidIsRolledBackIfItsJobWasCancelledMeanwhile() throws Exception {
		CountDownLatch runs = new CountDownLatch(1);
		CountDownLatch refused = new CountDownLatch(1);
		this.node.transactionalHandler("post", (payload, job) -> {
			runs.countDown();
			awaitUninterruptibly(refused);
		}).start();
		long id = this.node.queue.enqueue("post");
		await(runs);
		assertThat(this.node.queue.cancel(id)).as("its row is locked").isFalse();
		refused.countDown();
		this.node.await(id, JobState.SUCCEEDED);
	}

}
