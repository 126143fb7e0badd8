package io.jobqueue;

/**
 * Does something around each call of a handler: sets a tenant or a user, opens a span,
 * measures. All beans of this type are called, in their order, the first outermost. The
 * calls are made on the thread that runs the job and, for a transactional handler, inside
 * its transaction.
 * <p>
 * An interceptor that throws makes the attempt fail, as a handler does. It has to proceed
 * exactly once, on the same thread, or the attempt fails. An exception of the handler
 * that it catches and does not throw again is taken for handled: the attempt has
 * succeeded then. Around a transactional handler it must not begin another transaction,
 * which would take the handler out of its own; it may take part in that.
 */
@FunctionalInterface
public interface JobInterceptor {

	/**
	 * Calls the handler, and does what is to be done before and after.
	 * @param job the job
	 * @param handler calls the handler, through the interceptors that follow
	 * @throws Exception what the handler threw, or why the attempt has failed
	 */
	void around(JobContext job, Call handler) throws Exception;

	/**
	 * Calls what an interceptor is around.
	 */
	@FunctionalInterface
	interface Call {

		/**
		 * Calls it.
		 * @throws Exception what it throws
		 * @throws IllegalStateException if it was called before, or by another thread
		 */
		void proceed() throws Exception;

	}

}
