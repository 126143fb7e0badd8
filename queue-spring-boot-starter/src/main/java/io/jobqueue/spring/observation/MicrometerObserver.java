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
		return new InScope(observation, TraceHeaders.written(Objects.requireNonNull(context.getCarrier())));
	}

	@Override
	public Observed process(Processed job) {
		ProcessContext context = new ProcessContext(job.job(), TraceHeaders.read(job.trace()));
		return new InScope(observation(MessagingConvention.PROCESS, context), null);
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
		return new InScope(observation(MessagingConvention.CHUNK, context), null);
	}

	@Override
	public Observed settle(int results) {
		return new InScope(observation(MessagingConvention.SETTLE, new SettleContext(results)), null);
	}

	private <T extends Observation.Context> Observation observation(MessagingConvention<T> convention, T context) {
		return Observation.createNotStarted(null, convention, () -> context, this.registry).start();
	}

	/**
	 * An observation that is the current one of its thread until it ends.
	 */
	private static final class InScope implements Sending {

		private final Observation observation;

		private final Observation.Scope scope;

		private final @Nullable String trace;

		InScope(Observation observation, @Nullable String trace) {
			this.observation = observation;
			this.scope = observation.openScope();
			this.trace = trace;
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
				this.scope.close();
			}
			finally {
				this.observation.stop();
			}
		}

	}

}
