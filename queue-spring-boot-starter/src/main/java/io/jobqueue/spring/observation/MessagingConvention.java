package io.jobqueue.spring.observation;

import java.util.Collection;
import java.util.List;

import io.jobqueue.JobContext;
import io.jobqueue.NewJob;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and tags of the observations, by OpenTelemetry's conventions for messaging. Names
 * of queues and ids are tags of spans only: a queue for each tenant would make too many
 * meters.
 *
 * @param <T> the context
 */
abstract class MessagingConvention<T extends Observation.Context> implements ObservationConvention<T> {

	static final MessagingConvention<SendContext> SEND = new MessagingConvention<>("send", SendContext.class) {

		@Override
		String type(SendContext context) {
			return common(context.jobs().stream().map(NewJob::type).toList());
		}

		@Override
		String queue(SendContext context) {
			return common(context.jobs().stream().map(NewJob::queue).toList());
		}

		@Override
		KeyValues more(SendContext context) {
			return count(context.jobs());
		}

	};

	static final MessagingConvention<ProcessContext> PROCESS = new MessagingConvention<>("process",
			ProcessContext.class) {

		@Override
		String type(ProcessContext context) {
			return context.job().type();
		}

		@Override
		String queue(ProcessContext context) {
			return context.job().queue();
		}

		@Override
		KeyValues more(ProcessContext context) {
			JobContext job = context.job();
			return KeyValues.of("messaging.message.id", Long.toString(job.id()), "jobqueue.job.attempt",
					Integer.toString(job.attempt()));
		}

	};

	static final MessagingConvention<ChunkContext> CHUNK = new MessagingConvention<>("process", ChunkContext.class) {

		@Override
		String type(ChunkContext context) {
			return context.jobs().get(0).type();
		}

		@Override
		String queue(ChunkContext context) {
			return common(context.jobs().stream().map(JobContext::queue).toList());
		}

		@Override
		KeyValues more(ChunkContext context) {
			return count(context.jobs());
		}

	};

	static final MessagingConvention<SettleContext> SETTLE = new MessagingConvention<>("settle", SettleContext.class) {

		@Override
		String type(SettleContext context) {
			return KeyValue.NONE_VALUE;
		}

		@Override
		String queue(SettleContext context) {
			return KeyValue.NONE_VALUE;
		}

		@Override
		KeyValues more(SettleContext context) {
			return KeyValues.of(COUNT, Integer.toString(context.results()));
		}

	};

	private static final String COUNT = "messaging.batch.message_count";

	private final String operation;

	private final Class<T> context;

	MessagingConvention(String operation, Class<T> context) {
		this.operation = operation;
		this.context = context;
	}

	/**
	 * The type of the jobs.
	 * @return the type; none if there are several
	 */
	abstract String type(T context);

	/**
	 * The queue of the jobs.
	 * @return the queue; none if there are several
	 */
	abstract String queue(T context);

	/**
	 * What else a span is to have.
	 */
	abstract KeyValues more(T context);

	private static String common(List<String> names) {
		return (names.stream().distinct().count() == 1) ? names.get(0) : KeyValue.NONE_VALUE;
	}

	private static KeyValues count(Collection<?> jobs) {
		return (jobs.size() > 1) ? KeyValues.of(COUNT, Integer.toString(jobs.size())) : KeyValues.empty();
	}

	@Override
	public boolean supportsContext(Observation.Context other) {
		return this.context.isInstance(other);
	}

	@Override
	public String getName() {
		return "jobqueue." + this.operation;
	}

	@Override
	public String getContextualName(T of) {
		String queue = queue(of);
		return queue.equals(KeyValue.NONE_VALUE) ? this.operation : this.operation + " " + queue;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(T of) {
		return KeyValues.of("messaging.system", "jobqueue", "messaging.operation.type", this.operation,
				"messaging.operation.name", this.operation, "jobqueue.job.type", type(of));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(T of) {
		KeyValues values = more(of);
		String queue = queue(of);
		if (!queue.equals(KeyValue.NONE_VALUE)) {
			values = values.and("messaging.destination.name", queue);
		}
		Throwable error = of.getError();
		return (error != null) ? values.and("error.type", error.getClass().getName()) : values;
	}

}
