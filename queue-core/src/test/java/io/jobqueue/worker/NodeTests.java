package io.jobqueue.worker;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Thorough;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the tests of workers have in common: a node on a database of its own for each
 * test.
 */
abstract class NodeTests {

	@Parameter(0)
	TestDatabase testDatabase;

	/** Not started; the test gives it handlers first. */
	TestNode node;

	private TestSchema schema;

	@BeforeEach
	void createNode() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		Thorough.onceOnH2(this.testDatabase);
		if (!isAboutTheDatabase()) {
			Thorough.notOnMariaDb(this.testDatabase);
		}
		this.schema = this.testDatabase.create();
		this.node = anotherNode();
		if (mode() != QueueMode.STANDARD) {
			this.node.stores.queues().setMode("default", mode());
		}
	}

	@AfterEach
	void closeNode() {
		if (this.node != null) {
			try {
				this.node.close();
			}
			finally {
				this.schema.close();
			}
		}
	}

	final TestSchema schema() {
		return this.schema;
	}

	/**
	 * Makes another node on the same database.
	 * @return the node, to be closed by the test if it starts it
	 */
	TestNode anotherNode() {
		return anotherNode(this.schema.dataSource());
	}

	private TestNode anotherNode(DataSource pool) {
		return new TestNode(pool, new Database(pool), settings());
	}

	/**
	 * Whether what is tested depends on what the database does, so that it is tested on
	 * MariaDB all the time.
	 */
	boolean isAboutTheDatabase() {
		return false;
	}

	/**
	 * The mode of the default queue.
	 */
	QueueMode mode() {
		return QueueMode.STANDARD;
	}

	StoreSettings settings() {
		return StoreSettings.DEFAULT;
	}

	/**
	 * Makes another node on the same database, whose connections have settings of their
	 * own.
	 * @param initSql the statement that sets them
	 */
	TestNode anotherNode(String initSql) {
		return anotherNode(pool(initSql));
	}

	DataSource pool(String initSql) {
		return this.schema.pool((settings) -> settings.setConnectionInitSql(initSql));
	}

	TransactionTemplate transaction() {
		return new TransactionTemplate(new JdbcTransactionManager(this.schema.dataSource()));
	}

	List<Long> enqueue(String type, int jobs) {
		return this.node.queue.enqueueAll(IntStream.range(0, jobs).mapToObj((number) -> NewJob.of(type)).toList());
	}

	static void await(CountDownLatch latch) throws InterruptedException {
		assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
	}

	/** Does something after the handler, in the commit of its transaction. */
	static void beforeCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				action.run();
			}

		});
	}

	/**
	 * Waits as a handler does that is deaf to its interrupt.
	 * @param latch what to wait for
	 */
	static void awaitUninterruptibly(CountDownLatch latch) {
		while (latch.getCount() > 0) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				// Deaf on purpose.
			}
		}
	}

	/**
	 * Stops the worker on another thread, and waits until it takes no more jobs.
	 * @return the thread, which ends when the worker has stopped
	 */
	Thread beginToStop() {
		Thread stop = new Thread(() -> this.node.worker().stop());
		stop.start();
		Awaitility.await().until(() -> !this.node.worker().health().running());
		return stop;
	}

	void assertGivenBackUnrun(List<Long> ids) {
		for (long id : ids) {
			assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
			assertThat(this.node.job(id).attempt()).isZero();
		}
	}

}
