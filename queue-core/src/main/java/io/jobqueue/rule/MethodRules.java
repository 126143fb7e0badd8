package io.jobqueue.rule;

import java.util.Set;

/**
 * Which methods cannot be handlers, though they are marked as such.
 */
public final class MethodRules {

	/** Where a bean is there only while a request, a session or a message is handled. */
	private static final Set<String> SCOPES_OF_REQUESTS = Set.of("request", "session", "websocket");

	/** Spring's and Jakarta's names for propagations by which other writes commit. */
	private static final Set<String> LEAVE_THE_TRANSACTION = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");

	private MethodRules() {
	}

	/**
	 * The queue's worker calls the method from another package.
	 * @throws RefusedException if it is private
	 */
	public static void refuseIfPrivate(boolean isPrivate) {
		if (isPrivate) {
			throw new RefusedException("is private",
					"Make it package-private or public; the class may stay package-private.");
		}
	}

	/**
	 * A job has succeeded when its handler returns, so what goes on elsewhere after that
	 * would fail unseen.
	 * @param asynchronous whether the method is {@code @Async}, or returns what is ready
	 * later
	 * @throws RefusedException if so
	 */
	public static void refuseIfAsynchronous(boolean asynchronous) {
		if (asynchronous) {
			throw new RefusedException("is asynchronous, but its job counts as succeeded as soon as it returns",
					"Let the handler wait for what it starts; it has a slot of its own (jobqueue.worker.concurrency).");
		}
	}

	/**
	 * No request is there when a job runs.
	 * @param scope the scope of the method's bean
	 * @throws RefusedException if it is that of a request
	 */
	public static void refuseIfOfRequest(String scope) {
		if (SCOPES_OF_REQUESTS.contains(scope)) {
			throw new RefusedException("belongs to a bean of scope '" + scope + "', which no job is part of",
					"Move the handler to a singleton bean, and put what it needs of the request into the payload.");
		}
	}

	/**
	 * The handler's writes would be committed apart from the ack, or its annotation would
	 * fail each attempt.
	 * @param propagation the propagation that the {@code @Transactional} of a
	 * transactional handler says, as Spring or Jakarta name it
	 * @throws RefusedException if it leaves the handler's transaction
	 */
	public static void refuseIfOutsideItsTransaction(String propagation) {
		if (LEAVE_THE_TRANSACTION.contains(propagation)) {
			throw new RefusedException(
					"is transactional (@JobHandler), but its @Transactional leaves that transaction: what it writes would "
							+ "not be committed together with the job's completion",
					"Remove @Transactional, or its propagation; or set transactional = false, if the handler may run twice.");
		}
	}

	/**
	 * A method that declares a schedule is to run its jobs too.
	 * @param isHandler whether it runs jobs
	 * @throws RefusedException if it does not
	 */
	public static void refuseIfRecurringOnly(boolean isHandler) {
		if (!isHandler) {
			throw new RefusedException("is @Recurring, but no @JobHandler: nothing says which jobs it runs",
					"Add @JobHandler(\"…\") to the method.");
		}
	}

	/**
	 * Which of the two it is would be decided by chance.
	 * @param isHandler whether a method itself is {@code @JobHandler}
	 * @param ofDeadJobs whether it is {@code @DeadJobHandler}
	 * @throws IllegalArgumentException if it is both
	 */
	public static void refuseIfBoth(boolean isHandler, boolean ofDeadJobs) {
		if (isHandler && ofDeadJobs) {
			throw new IllegalArgumentException("it is both @JobHandler and @DeadJobHandler; make it two methods");
		}
	}

	/**
	 * What is called for dead jobs, or for several at once, has no schedule.
	 * @param settings what the handler's annotation says
	 * @param ofDeadJobs whether it is called for dead jobs
	 * @param recurring whether it is {@code @Recurring}
	 * @throws IllegalArgumentException if these contradict each other
	 */
	public static void refuseContradictions(HandlerSettings settings, boolean ofDeadJobs, boolean recurring) {
		if (ofDeadJobs && recurring) {
			throw new IllegalArgumentException("it is both @DeadJobHandler and @Recurring; only a @JobHandler recurs");
		}
		if (settings.isBatch() && (ofDeadJobs || recurring)) {
			throw new IllegalArgumentException("it is a batch handler (batchSize), which is neither @Recurring nor "
					+ "@DeadJobHandler: there is one job at a time");
		}
	}

}
