package io.jobqueue.spring.autoconfigure;

import java.time.Clock;
import java.time.Instant;
import java.util.function.Consumer;

import io.jobqueue.history.HistoryRecorder;
import io.jobqueue.history.HistoryWriter;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.spring.actuate.QueueSample;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.worker.AutoStartup;
import io.jobqueue.spring.worker.HistoryLifecycle;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoredJobQueue;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Counts what happens on this node, with a worker or without one, and writes it to the
 * history. Off with {@code jobqueue.history.enabled=false}.
 */
@AutoConfiguration(before = JobQueueWorkerAutoConfiguration.class,
		after = { JobQueueAutoConfiguration.class, JobQueueSamplerAutoConfiguration.class })
@ConditionalOnBean(StoredJobQueue.class)
@ConditionalOnBooleanProperty(name = "jobqueue.history.enabled", matchIfMissing = true)
public final class JobQueueHistoryAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	HistoryRecorder jobQueueHistoryRecorder(QueueListeners listeners, ObjectProvider<QueueSampler> sampler,
			JobQueueProperties properties) {
		HistoryRecorder recorder = new HistoryRecorder(properties.history().maxSeries());
		listeners.add(recorder);
		sampler.ifAvailable((measured) -> measured.addListener(new NewDepths(recorder)));
		return recorder;
	}

	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	HistoryWriter jobQueueHistoryWriter(HistoryRecorder recorder, OperatorStores stores,
			JobQueueProperties properties) {
		return new HistoryWriter(recorder, stores.history(), properties.history().keep(), Clock.systemUTC());
	}

	@Bean
	@ConditionalOnMissingBean
	HistoryLifecycle jobQueueHistoryLifecycle(HistoryWriter writer, AutoStartup startup) {
		return new HistoryLifecycle(writer, startup.value());
	}

	/**
	 * The depths of a sample that were measured with it, and not before.
	 */
	private static final class NewDepths implements Consumer<QueueSample> {

		private final HistoryRecorder recorder;

		private @Nullable Instant last;

		NewDepths(HistoryRecorder recorder) {
			this.recorder = recorder;
		}

		@Override
		public void accept(QueueSample sample) {
			Instant takenAt = sample.takenAt();
			if (takenAt != null && !takenAt.equals(this.last)) {
				this.last = takenAt;
				this.recorder.measured(sample.depths());
			}
		}

	}

}
