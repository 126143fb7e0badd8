package io.jobqueue.test.shop;

import java.util.List;

import io.jobqueue.Job;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.JobQueueTest;
import io.jobqueue.test.JobQueueTester;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * A database that outlives the test, and that nobody has named: the address of a real one
 * may have been left in the environment.
 */
@JobQueueTest(value = Handlers.class,
		properties = { "jobqueue.limits.api.starts=1",
				"spring.datasource.url=jdbc:h2:file:./target/somebodys-database/${random.uuid}/shop" })
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
class SomebodysDatabaseTests {

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@Autowired
	JdbcClient sql;

	@MockitoBean
	Mailer mailer;

	@Test
	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	void aTestThatCommitsLeavesItAlone() {
		long job = this.jobs.enqueue(NewJob.of("in-order", "first"));
		try {
			List<ThrowingCallable> calls = List.of(this.tester::runDue, this.tester::drain, this.tester::clear,
					this.tester::startWorker);
			assertThat(calls).allSatisfy((call) -> assertThatIllegalStateException().isThrownBy(call)
				.withMessageContaining("the jobs of the database 'SHOP'"));
			assertThat(this.jobs.find(job)).map(Job::state).contains(JobState.READY);
		}
		finally {
			this.jobs.cancel(job);
		}
	}

	@Test
	void aTestThatCommitsItsTransactionLeavesItAlone() {
		TestTransaction.flagForCommit();
		assertThatIllegalStateException().isThrownBy(this.tester::runDue)
			.withMessageContaining("the jobs of the database 'SHOP'");
		TestTransaction.flagForRollback();
	}

	/** Their mails would be sent, though the test is rolled back. */
	@Test
	void jobsOfOthersDoNotRun() throws Exception {
		long job = WholeApplicationTests.onThreadOfItsOwn(() -> this.jobs.enqueue(NewJob.of("in-order", "somebody's")));
		try {
			assertThatIllegalStateException().isThrownBy(this.tester::runDue)
				.withMessageContaining("such as job " + job);
			verify(this.mailer, never()).send("somebody's");
		}
		finally {
			WholeApplicationTests.onThreadOfItsOwn(() -> this.jobs.cancel(job));
		}
		this.jobs.enqueue(NewJob.of("in-order", "own"));
		assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(1);
	}

	/** Those of a test would hold for the application's nodes. */
	@Test
	void limitsAndSchedulesOfTheTestAreNotCommitted() throws Exception {
		for (String table : List.of("jobqueue_limit", "jobqueue_schedule", "jobqueue_type")) {
			JdbcClient.StatementSpec count = this.sql.sql("SELECT COUNT(*) FROM " + table);
			assertThat(count.query(Long.class).single()).as("in the test").isPositive();
			assertThat(WholeApplicationTests.onThreadOfItsOwn(() -> count.query(Long.class).single())).as("elsewhere")
				.isZero();
		}
	}

	@Test
	void aTestThatRollsBackMayUseIt() {
		this.jobs.enqueue(NewJob.of("in-order", "first"));
		assertThat(this.tester.runDue().assertNoneFailed().of("in-order").count()).isEqualTo(1);
	}

}
