package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several listeners as one. A listener that throws must not cost a job its result.
 */
final class WorkerListeners implements WorkerListener {

	private static final Logger log = LoggerFactory.getLogger(WorkerListeners.class);

	private final List<WorkerListener> listeners;

	WorkerListeners(List<WorkerListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	@Override
	public void started(ClaimedJob job, Duration delay) {
		tell((listener) -> listener.started(job, delay));
	}

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		tell((listener) -> listener.finished(job, outcome, duration, how));
	}

	private void tell(Consumer<WorkerListener> event) {
		for (WorkerListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				log.warn("A listener of the worker failed", ex);
			}
		}
	}

}
