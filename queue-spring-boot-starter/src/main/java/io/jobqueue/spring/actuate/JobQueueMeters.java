package io.jobqueue.spring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times what happens on this node, and shows the latest sample of the queues.
 */
public final class JobQueueMeters implements QueueListener, WorkerListener {

	private static final String ENQUEUED = "jobqueue.enqueued";

	private static final String ATTEMPT = "jobqueue.attempt";

	private static final String DELAY = "jobqueue.delay";

	private static final String STALE = "jobqueue.stale.claims";

	private final MeterRegistry registry;

	private final QueueTags queues;

	private final MultiGauge depth;

	private final MultiGauge oldestAge;

	private final MultiGauge suspects;

	private final MultiGauge paused;

	private final MultiGauge archived;

	private final MultiGauge tableRows;

	private final MultiGauge tableSize;

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param sampler who measures the queues
	 * @param maxQueues how many queues have meters of their own
	 */
	public JobQueueMeters(MeterRegistry registry, QueueSampler sampler, int maxQueues) {
		this.registry = registry;
		this.queues = new QueueTags(maxQueues);
		this.depth = MultiGauge.builder("jobqueue.depth")
			.description("Live jobs: ready (due and waiting), delayed (not yet due), "
					+ "waiting (for an earlier one of their order key), running (claimed)")
			.register(registry);
		this.oldestAge = MultiGauge.builder("jobqueue.oldest.age")
			.description("How long the first due job of the queue has waited")
			.baseUnit("seconds")
			.register(registry);
		this.suspects = MultiGauge.builder("jobqueue.suspects")
			.description("Ready and delayed jobs under suspicion, which may have to wait for an empty worker")
			.register(registry);
		this.paused = MultiGauge.builder("jobqueue.paused").description("1 if the queue is paused").register(registry);
		this.archived = MultiGauge.builder("jobqueue.archived")
			.description("Archived jobs by state")
			.register(registry);
		this.tableRows = MultiGauge.builder("jobqueue.table.rows")
			.description("Rows of the table, as the server's statistics say: about")
			.register(registry);
		this.tableSize = MultiGauge.builder("jobqueue.table.size")
			.description("Room that the table and its indexes take, as the server's statistics say: about")
			.baseUnit("bytes")
			.register(registry);
		Gauge.builder("jobqueue.sample.age", sampler, JobQueueMeters::age)
			.description("How old depth and oldest age are")
			.baseUnit("seconds")
			.register(registry);
		registry.counter(STALE);
		sampler.addListener(this::show);
	}

	@Override
	public void enqueued(List<EnqueuedJob> jobs) {
		for (EnqueuedJob job : jobs) {
			this.registry.counter(ENQUEUED, "queue", this.queues.of(job.job().queue()), "type", job.job().type())
				.increment();
		}
	}

	@Override
	public void started(ClaimedJob job, Duration delay) {
		this.registry.timer(DELAY, "queue", this.queues.of(job.queue()), "type", job.type()).record(delay);
	}

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		String name = outcome.name().toLowerCase(Locale.ROOT);
		this.registry.timer(ATTEMPT, "queue", this.queues.of(job.queue()), "type", job.type(), "outcome", name)
			.record(duration);
		if (outcome == Outcome.STALE) {
			this.registry.counter(STALE).increment();
		}
	}

	private static double age(QueueSampler sampler) {
		Instant takenAt = sampler.latest().takenAt();
		return (takenAt != null) ? Duration.between(takenAt, Instant.now()).toMillis() / 1000.0 : Double.NaN;
	}

	private void show(QueueSample sample) {
		List<MultiGauge.Row<?>> depths = new ArrayList<>();
		List<Queues.Depth> queues = this.queues.busiest(sample.depths());
		for (Queues.Depth queue : queues) {
			depths.add(MultiGauge.Row.of(Tags.of("queue", queue.queue(), "state", "ready"), queue.ready()));
			depths.add(MultiGauge.Row.of(Tags.of("queue", queue.queue(), "state", "delayed"), queue.delayed()));
			depths.add(MultiGauge.Row.of(Tags.of("queue", queue.queue(), "state", "waiting"), queue.waiting()));
			depths.add(MultiGauge.Row.of(Tags.of("queue", queue.queue(), "state", "running"), queue.running()));
		}
		this.depth.register(depths, true);
		this.oldestAge.register(rows(queues, (queue) -> queue.oldestAge().toMillis() / 1000.0), true);
		this.suspects.register(rows(queues, Queues.Depth::suspects), true);
		this.paused.register(rows(queues, (queue) -> queue.paused() ? 1 : 0), true);
		List<MultiGauge.Row<?>> states = new ArrayList<>();
		sample.archived()
			.forEach((state, jobs) -> states
				.add(MultiGauge.Row.of(Tags.of("state", state.name().toLowerCase(Locale.ROOT)), jobs)));
		this.archived.register(states, true);
		List<MultiGauge.Row<?>> rows = new ArrayList<>();
		List<MultiGauge.Row<?>> sizes = new ArrayList<>();
		sample.tables().forEach((table, size) -> {
			rows.add(MultiGauge.Row.of(Tags.of("table", table), size.rows()));
			sizes.add(MultiGauge.Row.of(Tags.of("table", table), size.bytes()));
		});
		this.tableRows.register(rows, true);
		this.tableSize.register(sizes, true);
	}

	private static List<MultiGauge.Row<?>> rows(List<Queues.Depth> queues, ToDoubleFunction<Queues.Depth> value) {
		List<MultiGauge.Row<?>> rows = new ArrayList<>();
		for (Queues.Depth queue : queues) {
			rows.add(MultiGauge.Row.of(Tags.of("queue", queue.queue()), value.applyAsDouble(queue)));
		}
		return rows;
	}

}
