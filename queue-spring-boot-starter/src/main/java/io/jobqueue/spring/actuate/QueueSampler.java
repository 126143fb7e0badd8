package io.jobqueue.spring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jobqueue.JobState;
import io.jobqueue.store.Queues;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Measures the queues now and then, for meters and endpoint, which never ask the database
 * themselves. Counting costs in proportion to what there is to count, so the time between
 * two measurements grows with the time that one takes: neither takes more than a
 * twentieth of a connection. Live and archived jobs are measured apart, for a large
 * archive must not make the depths stale.
 */
public final class QueueSampler implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(QueueSampler.class);

	private static final long AFTER_FAILURE_NANOS = Duration.ofMinutes(1).toNanos();

	private static final int SHARE = 20;

	/** The server counts rows anew after a tenth of them has changed. */
	private static final int RARELY = 10;

	private final List<Measurement> measurements;

	private final List<Consumer<QueueSample>> listeners = new CopyOnWriteArrayList<>();

	@GuardedBy("this")
	private QueueSample latest = QueueSample.NONE;

	private volatile @Nullable ScheduledExecutorService threads;

	/**
	 * Creates the sampler; nothing is started yet.
	 * @param queues what to measure
	 * @param schedules measures the recurring jobs
	 * @param keys measures limits and order keys
	 * @param interval the least time between two samples; ten times that for the sizes of
	 * the tables
	 */
	public QueueSampler(Queues queues, Supplier<ScheduleSample> schedules, Supplier<KeySample> keys,
			Duration interval) {
		this.measurements = List.of(new Measurement("depths of the queues", interval, () -> {
			List<Queues.Depth> depths = queues.depths();
			return (sample) -> sample.withDepths(Instant.now(), depths);
		}), new Measurement("number of archived jobs", interval, () -> {
			Map<JobState, Long> archived = queues.archived();
			return (sample) -> sample.withArchived(Instant.now(), archived);
		}), new Measurement("sizes of the tables", interval.multipliedBy(RARELY), () -> {
			Map<String, Queues.TableSize> tables = queues.tables();
			return (sample) -> sample.withTables(tables);
		}), new Measurement("schedules", interval, () -> {
			ScheduleSample measured = schedules.get();
			return (sample) -> sample.withSchedules(measured);
		}), new Measurement("limits and order keys", interval, () -> {
			KeySample measured = keys.get();
			return (sample) -> sample.withKeys(measured);
		}));
	}

	/**
	 * The latest sample.
	 * @return the sample; an empty one before the first
	 */
	public synchronized QueueSample latest() {
		return this.latest;
	}

	/**
	 * Adds somebody who is told of each new sample.
	 * @param listener the listener, which must be quick
	 */
	public void addListener(Consumer<QueueSample> listener) {
		this.listeners.add(listener);
	}

	private synchronized void change(UnaryOperator<QueueSample> change) {
		this.latest = change.apply(this.latest);
		this.listeners.forEach((listener) -> listener.accept(this.latest));
	}

	@Override
	public void start() {
		CustomizableThreadFactory factory = new CustomizableThreadFactory("jobqueue-sample-");
		factory.setDaemon(true);
		ScheduledExecutorService started = Executors.newScheduledThreadPool(this.measurements.size(), factory);
		this.threads = started;
		this.measurements.forEach((measurement) -> started.execute(() -> measureAndGoOn(measurement, started)));
	}

	private void measureAndGoOn(Measurement measurement, ScheduledExecutorService executor) {
		long start = System.nanoTime();
		boolean measured = measurement.run();
		long took = System.nanoTime() - start;
		// How long a failure took says little of the next measurement, but the server may
		// go on with a count for as long again.
		long wait = measured ? took * SHARE : Math.min(took, AFTER_FAILURE_NANOS);
		if (!executor.isShutdown()) {
			executor.schedule(() -> measureAndGoOn(measurement, executor),
					Math.max(measurement.interval.toNanos(), wait), TimeUnit.NANOSECONDS);
		}
	}

	void sample() {
		this.measurements.forEach(Measurement::run);
	}

	@Override
	public void stop() {
		ScheduledExecutorService running = this.threads;
		this.threads = null;
		if (running != null) {
			running.shutdownNow();
		}
	}

	@Override
	public boolean isRunning() {
		return this.threads != null;
	}

	/**
	 * One thing that is measured; run by one thread at a time.
	 */
	private final class Measurement {

		private final String what;

		private final Duration interval;

		private final Supplier<UnaryOperator<QueueSample>> query;

		@GuardedBy("this")
		private boolean failing;

		Measurement(String what, Duration interval, Supplier<UnaryOperator<QueueSample>> query) {
			this.what = what;
			this.interval = interval;
			this.query = query;
		}

		/** Whether it could be measured. */
		@CanIgnoreReturnValue
		synchronized boolean run() {
			try {
				UnaryOperator<QueueSample> measured = this.query.get();
				change((sample) -> measured.apply(sample).with(this.what, true));
				if (this.failing) {
					this.failing = false;
					log.info("The {} could be measured again", this.what);
				}
				return true;
			}
			catch (Throwable ex) {
				change((sample) -> sample.with(this.what, false));
				if (!this.failing) {
					this.failing = true;
					log.warn("The {} could not be measured; meters and endpoint show the last ones: {}", this.what,
							ex.toString());
				}
				return false;
			}
		}

	}

}
