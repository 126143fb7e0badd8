package io.jobqueue.spring.autoconfigure;

import java.time.Clock;

import io.jobqueue.history.HistoryRecorder;
import io.jobqueue.history.HistoryWriter;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.worker.HistoryLifecycle;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoredJobQueue;

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
		sampler.ifAvailable((measured) -> measured.addListener((sample) -> sample.depths()
			.forEach((queue) -> recorder.depth(queue.queue(), queue.ready(), queue.oldestAge()))));
		return recorder;
	}

	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	HistoryWriter jobQueueHistoryWriter(HistoryRecorder recorder, OperatorStores stores) {
		return new HistoryWriter(recorder, stores.history(), Clock.systemUTC());
	}

	@Bean
	@ConditionalOnMissingBean
	HistoryLifecycle jobQueueHistoryLifecycle(HistoryWriter writer) {
		return new HistoryLifecycle(writer);
	}

}
