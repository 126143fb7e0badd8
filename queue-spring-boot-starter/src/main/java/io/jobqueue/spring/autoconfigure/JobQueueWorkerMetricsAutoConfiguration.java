package io.jobqueue.spring.autoconfigure;

import io.jobqueue.database.Database;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.maintenance.Rescue;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.actuate.WorkerMeters;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The meters of this application's worker, where Micrometer has a registry.
 */
@AutoConfiguration(after = { JobQueueWorkerAutoConfiguration.class, JobQueueMetricsAutoConfiguration.class })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, Worker.class })
public final class JobQueueWorkerMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	WorkerMeters jobQueueWorkerMeters(Worker worker, Rescue rescue, UnhandledTypes unhandled, Database database,
			Maintenance maintenance) {
		return new WorkerMeters(worker, rescue, unhandled, database, maintenance);
	}

}
