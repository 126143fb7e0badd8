package io.jobqueue.spring.observation;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.jobqueue.NewJob;
import io.jobqueue.observe.Observed;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.observe.Sending;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes observations of what a node does with jobs.
 */
public final class MicrometerObserver implements QueueObserver {

	/** Scopes within scopes; more is a chain that does not end. */
	private static final int MOST_LEFT_OPEN = 100;

	private final ObservationRegistry registry;

	/**
	 * Creates an observer.
	 * @param registry where the observations go
	 */
	public MicrometerObserver(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public Sending send(List<NewJob> jobs) {
		SendContext context = new SendContext(jobs);
		Observation observation = observation(MessagingConvention.SEND, context);
		return new InScope(this.registry, observation,
				TraceHeaders.written(Objects.requireNonNull(context.getCarrier())));
	}

	@Override
	public Observed process(Processed job) {
		ProcessContext context = new ProcessContext(job.job(), TraceHeaders.read(job.trace()));
		return new InScope(this.registry, observation(MessagingConvention.PROCESS, context), null);
	}

	@Override
	public Observed processChunk(List<Processed> chunk) {
		List<Map<String, String>> headers = chunk.stream()
			.map(Processed::trace)
			.filter(Objects::nonNull)
			.distinct()
			.map(TraceHeaders::read)
			.toList();
		ChunkContext context = new ChunkContext(chunk.stream().map(Processed::job).toList(), headers);
		return new InScope(this.registry, observation(MessagingConvention.CHUNK, context), null);
	}

	@Override
	public Observed settle(int results) {
		return new InScope(this.registry, observation(MessagingConvention.SETTLE, new SettleContext(results)), null);
	}

	private <T extends Observation.Context> Observation observation(MessagingConvention<T> convention, T context) {
		return Observation.createNotStarted(null, convention, () -> context, this.registry).start();
	}

	/**
	 * An observation that is the current one of its thread until it ends. Whatever a
	 * handler of observations does, or the job's own code has left open, the thread is
	 * left as it was: the next job, or request, must not find itself in a foreign trace.
	 */
	private static final class InScope implements Sending {

		private final ObservationRegistry registry;

		private final Observation observation;

		private final Observation.@Nullable Scope before;

		private final Observation.Scope scope;

		private final @Nullable String trace;

		InScope(ObservationRegistry registry, Observation observation, @Nullable String trace) {
			this.registry = registry;
			this.observation = observation;
			this.before = registry.getCurrentObservationScope();
			this.trace = trace;
			try {
				this.scope = observation.openScope();
			}
			catch (Throwable ex) {
				abandonOpening(ex);
				throw ex;
			}
		}

		/**
		 * The registry knows the scope before handlers are told of it. Those that have
		 * opened something have to close it.
		 */
		private void abandonOpening(Throwable failure) {
			try {
				closeDownTo(this.before);
			}
			catch (Throwable ex) {
				failure.addSuppressed(ex);
			}
			this.registry.setCurrentObservationScope(this.before);
			this.observation.stop();
		}

		private void closeDownTo(Observation.@Nullable Scope last) {
			for (int most = MOST_LEFT_OPEN; most > 0; most--) {
				Observation.Scope current = this.registry.getCurrentObservationScope();
				if (current == null || current == last || current == this.before) {
					return;
				}
				current.close();
			}
		}

		@Override
		public @Nullable String trace() {
			return this.trace;
		}

		@Override
		public void failed(Throwable cause) {
			this.observation.error(cause);
		}

		@Override
		public void end() {
			try {
				closeDownTo(this.scope);
			}
			finally {
				closeOwn();
			}
		}

		/** Unless the job's own code has closed it. */
		private void closeOwn() {
			try {
				if (this.registry.getCurrentObservationScope() != this.before) {
					this.scope.close();
				}
			}
			finally {
				this.registry.setCurrentObservationScope(this.before);
				this.observation.stop();
			}
		}

	}

}
