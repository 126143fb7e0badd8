package io.jobqueue.spring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.jobqueue.store.Queues;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Measures the queues now and then, for meters and endpoint, which never ask the database
 * themselves. Counting costs in proportion to what there is to count, so the time between
 * two samples grows with the time that one takes: sampling never takes more than a
 * hundredth of a connection.
 */
public final class QueueSampler implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(QueueSampler.class);

	private static final int SHARE = 100;

	private final Queues queues;

	private final Duration interval;

	private final List<Consumer<QueueSample>> listeners = new CopyOnWriteArrayList<>();

	private volatile QueueSample latest = QueueSample.NONE;

	private volatile @Nullable ScheduledExecutorService thread;

	private volatile boolean failing;

	/**
	 * Creates the sampler; nothing is started yet.
	 * @param queues what to measure
	 * @param interval the least time between two samples
	 */
	public QueueSampler(Queues queues, Duration interval) {
		this.queues = queues;
		this.interval = interval;
	}

	/**
	 * The latest sample.
	 * @return the sample; an empty one before the first
	 */
	public QueueSample latest() {
		return this.latest;
	}

	void addListener(Consumer<QueueSample> listener) {
		this.listeners.add(listener);
	}

	@Override
	public void start() {
		ScheduledExecutorService started = Executors
			.newSingleThreadScheduledExecutor(new CustomizableThreadFactory("jobqueue-sample-"));
		this.thread = started;
		started.execute(() -> sampleAndGoOn(started));
	}

	private void sampleAndGoOn(ScheduledExecutorService executor) {
		long start = System.nanoTime();
		try {
			sample();
			this.failing = false;
		}
		catch (Throwable ex) {
			if (!this.failing) {
				this.failing = true;
				log.warn("The queues could not be measured; their meters stay as they are: {}", ex.toString());
			}
		}
		long took = System.nanoTime() - start;
		if (!executor.isShutdown()) {
			executor.schedule(() -> sampleAndGoOn(executor), Math.max(this.interval.toNanos(), took * SHARE),
					TimeUnit.NANOSECONDS);
		}
	}

	void sample() {
		QueueSample sample = new QueueSample(Instant.now(), this.queues.depths(), this.queues.archived());
		this.latest = sample;
		this.listeners.forEach((listener) -> listener.accept(sample));
	}

	@Override
	public void stop() {
		ScheduledExecutorService running = this.thread;
		this.thread = null;
		if (running != null) {
			running.shutdownNow();
		}
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

}
