package io.jobqueue.worker;

import java.util.List;

import io.jobqueue.JobInterceptor;
import io.jobqueue.observe.QueueObserver;

/**
 * What an application has a worker do beside its work.
 *
 * @param listener who is told what the worker does
 * @param interceptors what is around each call of a handler, the outermost first
 * @param observer who watches its work
 */
public record Extensions(WorkerListener listener, List<JobInterceptor> interceptors, QueueObserver observer) {

	public Extensions {
		interceptors = List.copyOf(interceptors);
		observer = QueueObserver.guarded(observer);
	}

	/**
	 * Nothing but a listener.
	 * @param listener who is told what the worker does
	 * @return the extensions
	 */
	public static Extensions listener(WorkerListener listener) {
		return new Extensions(listener, List.of(), QueueObserver.NONE);
	}

}
