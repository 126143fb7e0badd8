package io.jobqueue.worker.run;

import java.util.List;

import io.jobqueue.JobInterceptor;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.run.RunUnit.HandlerCall;

import org.jspecify.annotations.Nullable;

/**
 * Puts the application's interceptors around the call of a handler, and sees to it that
 * each proceeds exactly once and leaves a transactional handler in its transaction.
 */
final class ApplicationInterceptors implements RunInterceptor {

	private final List<JobInterceptor> interceptors;

	/**
	 * Creates the means to call interceptors.
	 * @param interceptors the application's, the outermost first
	 */
	ApplicationInterceptors(List<JobInterceptor> interceptors) {
		this.interceptors = List.copyOf(interceptors);
	}

	@Override
	public void around(Attempt attempt, HandlerCall call) throws Exception {
		if (this.interceptors.isEmpty()) {
			call.run();
			return;
		}
		new Chain(attempt, call).run();
	}

	/**
	 * The interceptors of one attempt. What goes wrong between them is remembered, since
	 * an interceptor may catch it: the attempt fails all the same.
	 */
	private final class Chain {

		private final Attempt attempt;

		private final HandlerCall call;

		private final Thread thread = Thread.currentThread();

		private final BoundTransactions before = BoundTransactions.now();

		private @Nullable IllegalStateException wrong;

		Chain(Attempt attempt, HandlerCall call) {
			this.attempt = attempt;
			this.call = call;
		}

		void run() throws Exception {
			proceed(0);
			if (this.wrong != null) {
				throw this.wrong;
			}
		}

		private void proceed(int index) throws Exception {
			if (index == ApplicationInterceptors.this.interceptors.size()) {
				callHandler();
				return;
			}
			JobInterceptor interceptor = ApplicationInterceptors.this.interceptors.get(index);
			Once once = new Once(this, interceptor, index + 1);
			boolean thrown = true;
			try {
				interceptor.around(RunningJob.of(this.attempt), once);
				thrown = false;
			}
			finally {
				once.end(thrown);
			}
		}

		private void callHandler() throws Exception {
			if (isInTransaction() && this.before.isLeftOpen()) {
				throw violated(
						"An interceptor has begun a transaction of its own around a transactional handler, whose "
								+ "writes might then not be committed together with the job's completion");
			}
			this.call.run();
		}

		private boolean isInTransaction() {
			return this.attempt.handler().transactional() || this.attempt.job().isRunInTransaction();
		}

		private IllegalStateException violated(String message) {
			IllegalStateException violation = new IllegalStateException(message);
			if (this.wrong == null) {
				this.wrong = violation;
			}
			return violation;
		}

	}

	/**
	 * What one interceptor may call, once and before it returns. Used by one thread only;
	 * what other threads call fails.
	 */
	private static final class Once implements JobInterceptor.Call {

		private final Chain chain;

		private final JobInterceptor interceptor;

		private final int next;

		private boolean called;

		private volatile boolean ended;

		Once(Chain chain, JobInterceptor interceptor, int next) {
			this.chain = chain;
			this.interceptor = interceptor;
			this.next = next;
		}

		@Override
		public void proceed() throws Exception {
			if (Thread.currentThread() != this.chain.thread || this.ended) {
				throw new IllegalStateException(
						name() + " has proceeded on another thread than that of the job, or later");
			}
			if (this.called) {
				throw this.chain.violated(name() + " has proceeded more than once");
			}
			this.called = true;
			this.chain.proceed(this.next);
		}

		void end(boolean thrown) {
			this.ended = true;
			if (!this.called && !thrown) {
				this.chain.violated(name() + " has not proceeded, so the handler was not called");
			}
		}

		private String name() {
			return "The interceptor " + this.interceptor.getClass().getName();
		}

	}

}
