package io.jobqueue.worker.run;

import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.run.RunUnit.HandlerCall;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the transactions that a handler has left open. The attempt has failed then even if
 * the handler returned. Inside a transactional unit this comes before that unit's own
 * transaction ends, for which they would otherwise be taken.
 */
final class LeftOpenTransactions implements RunInterceptor {

	private static final Logger log = LoggerFactory.getLogger(LeftOpenTransactions.class);

	@Override
	public void around(Attempt attempt, HandlerCall call) throws Exception {
		BoundTransactions before = BoundTransactions.now();
		boolean left = false;
		try {
			call.run();
		}
		finally {
			if (before.isLeftOpen()) {
				left = true;
				before.restore();
				attempt.marks().threadUnclean();
				log.warn("The handler of {} job {} has left a transaction open, which is rolled back: {}",
						attempt.job().type(), attempt.claim().id(), attempt.handler().invocation());
			}
		}
		if (left) {
			throw new IllegalStateException("The job handler " + attempt.handler().invocation()
					+ " has begun a transaction and returned without ending it. It was rolled back");
		}
	}

}
