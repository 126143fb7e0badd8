package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.jobqueue.AttemptFailure;
import io.jobqueue.JobContext;
import io.jobqueue.JobListener;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Tells the application's listeners what the worker does. Whatever one of them throws or
 * leaves behind on the thread harms no job.
 */
public final class JobListeners implements WorkerListener {

	private static final Logger log = LoggerFactory.getLogger(JobListeners.class);

	private final List<JobListener> listeners;

	private final Handlers handlers;

	private final LineLimit<Class<?>> limit = new LineLimit<>(System::nanoTime, (listener, more) -> log
		.warn("The listener {} failed {} more time(s), which were not logged one by one", listener.getName(), more));

	/**
	 * Creates the means to tell listeners.
	 * @param listeners the application's
	 * @param handlers who knows how many attempts a job has
	 */
	public JobListeners(List<JobListener> listeners, Handlers handlers) {
		this.listeners = List.copyOf(listeners);
		this.handlers = handlers;
	}

	@Override
	public void started(ClaimedJob job, Duration delay) {
		tell(job, false, (listener, context) -> listener.started(context));
	}

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		if (outcome == Outcome.SUCCEEDED) {
			tell(job, true, (listener, context) -> listener.succeeded(context, duration));
		}
		else if (outcome == Outcome.RETRIED && how instanceof Finish.Retry retry) {
			tell(job, true, (listener, context) -> listener.failed(context, failure(retry.failure()), retry.delay()));
		}
		else if (outcome == Outcome.DEAD && how instanceof Finish.DeadLetter dead) {
			tell(job, true, (listener, context) -> listener.dead(context, failure(dead.failure())));
		}
	}

	private static AttemptFailure failure(Failure failure) {
		return new AttemptFailure(failure.type(), failure.message(), failure.stackTrace());
	}

	private void tell(ClaimedJob job, boolean clearInterrupt, Event event) {
		if (this.listeners.isEmpty()) {
			return;
		}
		Handler handler = this.handlers.find(job.type());
		JobContext context = RunningJob.of(job,
				(handler != null) ? handler.retry().attemptsOf(job.maxAttempts()) : job.maxAttempts());
		for (JobListener listener : this.listeners) {
			guarded(listener, job, clearInterrupt, (told) -> event.tell(told, context));
		}
	}

	/**
	 * Calls a listener, on whatever thread, as if it were that of the job: its lines name
	 * the job. What it leaves behind is removed. Not so the interrupt of a thread on
	 * which an attempt has just started: it may be meant for that.
	 */
	private void guarded(JobListener listener, ClaimedJob job, boolean clearInterrupt, Consumer<JobListener> call) {
		BoundTransactions before = BoundTransactions.now();
		Map<String, String> labels = MDC.getCopyOfContextMap();
		try {
			LogContext.set(job);
			call.accept(listener);
		}
		catch (Throwable ex) {
			this.limit.endPeriods();
			if (this.limit.hasLine(listener.getClass())) {
				log.warn("The listener {} failed, which changes nothing for the job", listener.getClass().getName(),
						ex);
			}
		}
		finally {
			if (before.isLeftOpen()) {
				before.restore();
				if (this.limit.hasLine(listener.getClass())) {
					log.warn("The listener {} has left a transaction open, which is rolled back",
							listener.getClass().getName());
				}
			}
			MDC.setContextMap((labels != null) ? labels : Map.of());
			if (clearInterrupt) {
				Thread.interrupted();
			}
		}
	}

	/**
	 * What a listener is told.
	 */
	private interface Event {

		void tell(JobListener listener, JobContext context);

	}

}
