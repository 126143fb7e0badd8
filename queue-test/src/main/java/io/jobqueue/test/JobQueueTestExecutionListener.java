package io.jobqueue.test;

import java.util.function.Consumer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.test.context.transaction.TransactionalTestExecutionListener;

/**
 * Lets each test begin with the queue's clock at the present, and with the schedules that
 * the code declares.
 */
final class JobQueueTestExecutionListener implements TestExecutionListener, Ordered {

	/** Spring's listener that begins the test's transaction comes before. */
	private static final int ORDER = 4_500;

	JobQueueTestExecutionListener() {
	}

	/**
	 * Between {@link TransactionalTestExecutionListener} and that for scripts.
	 */
	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void beforeTestMethod(TestContext test) {
		tell(test, JobQueueTester::begin);
	}

	@Override
	public void afterTestMethod(TestContext test) {
		tell(test, JobQueueTester::end);
	}

	private static void tell(TestContext test, Consumer<JobQueueTester> event) {
		if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), AutoConfigureJobQueue.class)) {
			ObjectProvider<JobQueueTester> tester = test.getApplicationContext().getBeanProvider(JobQueueTester.class);
			tester.ifAvailable(event);
		}
	}

}
