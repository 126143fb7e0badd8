package io.jobqueue.observe;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.jobqueue.NewJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An observer whose failures go to the log: what is only watched must not fail for that.
 */
final class GuardedObserver implements QueueObserver {

	private static final Logger log = LoggerFactory.getLogger(GuardedObserver.class);

	private final QueueObserver observer;

	private final AtomicBoolean complained = new AtomicBoolean();

	GuardedObserver(QueueObserver observer) {
		this.observer = observer;
	}

	@Override
	public Sending send(List<NewJob> jobs) {
		Sending sending = begun(() -> this.observer.send(jobs), Sending.NONE);
		return (sending != Sending.NONE) ? new GuardedSending(sending, trace(sending)) : sending;
	}

	@Override
	public Observed process(Processed job) {
		return guarded(begun(() -> this.observer.process(job), Observed.NONE));
	}

	@Override
	public Observed processChunk(List<Processed> chunk) {
		return guarded(begun(() -> this.observer.processChunk(chunk), Observed.NONE));
	}

	@Override
	public Observed settle(int results) {
		return guarded(begun(() -> this.observer.settle(results), Observed.NONE));
	}

	private Observed guarded(Observed observed) {
		return (observed != Observed.NONE) ? new Guarded(observed) : observed;
	}

	/**
	 * Whatever is thrown: an observer's error, as one of memory, must not change what
	 * becomes of a job.
	 */
	private <T> T begun(Supplier<T> begin, T none) {
		try {
			return begin.get();
		}
		catch (Throwable ex) {
			complain(ex);
			return none;
		}
	}

	private @Nullable String trace(Sending sending) {
		try {
			return sending.trace();
		}
		catch (Throwable ex) {
			complain(ex);
			return null;
		}
	}

	private void guard(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			complain(ex);
		}
	}

	/** Once, since it may be so with each job. */
	private void complain(Throwable failure) {
		try {
			if (this.complained.compareAndSet(false, true)) {
				log.warn("Something could not be observed; the next times are logged at DEBUG", failure);
			}
			else {
				log.debug("Something could not be observed", failure);
			}
		}
		catch (Throwable ex) {
			// There may be no memory for a line in the log either.
			return;
		}
	}

	private class Guarded implements Observed {

		private final Observed observed;

		Guarded(Observed observed) {
			this.observed = observed;
		}

		@Override
		public void failed(Throwable cause) {
			guard(() -> this.observed.failed(cause));
		}

		@Override
		public void end() {
			guard(this.observed::end);
		}

	}

	private final class GuardedSending extends Guarded implements Sending {

		private final @Nullable String trace;

		GuardedSending(Sending sending, @Nullable String trace) {
			super(sending);
			this.trace = trace;
		}

		@Override
		public @Nullable String trace() {
			return this.trace;
		}

	}

}
