package io.jobqueue.spring.autoconfigure;

import io.jobqueue.QueueMode;
import io.jobqueue.QueueOrder;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

import static io.jobqueue.spring.autoconfigure.PropertyRules.check;

/**
 * Settings of one queue, {@code jobqueue.queues.<name>}. Order and mode are written to
 * the database at start-up, for all nodes; weight and concurrency are this worker's.
 *
 * @param order whether the oldest or the newest due job is claimed first. The default is
 * what was set last; at first "fifo".
 * @param mode how its jobs are kept from running twice. The default is what was set last;
 * at first "standard".
 * @param weight how many times the usual share the queue gets among those of its priority
 * @param concurrency how many slots of this worker its jobs may take at once; the default
 * is all of them
 */
public record QueueProperties(@Nullable QueueOrder order, @Nullable QueueMode mode, @DefaultValue("1") int weight,
		@Nullable Integer concurrency) {

	public QueueProperties {
		check(weight >= 1 && weight <= 1_000, "queues.<name>.weight", "from 1 to 1000", weight);
		if (concurrency != null) {
			check(concurrency >= 1, "queues.<name>.concurrency", "at least 1", concurrency);
		}
	}

}
