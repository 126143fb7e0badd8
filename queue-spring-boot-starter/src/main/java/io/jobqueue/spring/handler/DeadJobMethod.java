package io.jobqueue.spring.handler;

import java.lang.reflect.Type;
import java.util.function.Supplier;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobQueue;
import io.jobqueue.PermanentJobException;
import io.jobqueue.store.DeadJobReference;
import io.jobqueue.worker.Handler;
import org.jspecify.annotations.Nullable;

/**
 * A bean's method as the code that is called when a job is dead. The job that runs says
 * which one that is.
 */
final class DeadJobMethod implements Handler.Invocation {

	private final Supplier<JobQueue> queue;

	private final HandlerMethod method;

	DeadJobMethod(Supplier<JobQueue> queue, HandlerMethod method) {
		this.queue = queue;
		this.method = method;
	}

	@Override
	public void invoke(@Nullable String payload, JobContext context) throws Exception {
		Job dead = dead(payload);
		this.method.invoke(dead.payload(), context, dead);
	}

	@Override
	public @Nullable Type payloadTypeOfDead() {
		return this.method.payloadType();
	}

	private Job dead(@Nullable String payload) {
		try {
			DeadJobReference reference = DeadJobReference.parse(payload);
			return this.queue.get()
				.find(reference.id())
				.filter(reference::isTo)
				// The read may have been of an old replica, so this is tried again.
				.orElseThrow(() -> new IllegalStateException("The dead job " + reference.id()
						+ " is not in the database any more: it was pruned, or has succeeded meanwhile"));
		}
		catch (IllegalArgumentException ex) {
			throw new PermanentJobException("This job's payload was not written by the job queue", ex);
		}
	}

	@Override
	public String toString() {
		return this.method.toString();
	}

}
