package io.jobqueue.worker.run;

import java.util.List;

import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.run.RunUnit.HandlerCall;

/**
 * Does something around the call of each handler, on its slot's thread and inside its
 * transaction, if it has one.
 */
@FunctionalInterface
interface RunInterceptor {

	/**
	 * Calls the handler, and does what is to be done before and after.
	 * @param attempt the attempt
	 * @param call calls the handler
	 * @throws Exception what the handler threw, or why the attempt has failed although it
	 * returned
	 */
	void around(Attempt attempt, HandlerCall call) throws Exception;

	/**
	 * Puts interceptors around a call.
	 * @param interceptors the interceptors, the outermost first
	 * @param attempt the attempt
	 * @param call calls the handler
	 * @return a call through all of them
	 */
	static HandlerCall chain(List<RunInterceptor> interceptors, Attempt attempt, HandlerCall call) {
		HandlerCall chained = call;
		for (int i = interceptors.size() - 1; i >= 0; i--) {
			RunInterceptor interceptor = interceptors.get(i);
			HandlerCall inner = chained;
			chained = () -> interceptor.around(attempt, inner);
		}
		return chained;
	}

}
