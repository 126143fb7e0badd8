package io.jobqueue.spring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

	private final RowGauges depth;

	private final RowGauges oldestAge;

	private final RowGauges suspects;

	private final RowGauges paused;

	private final RowGauges archived;

	private final RowGauges tableRows;

	private final RowGauges tableSize;

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param sampler who measures the queues
	 * @param maxQueues how many queues have meters of their own
	 */
	public JobQueueMeters(MeterRegistry registry, QueueSampler sampler, int maxQueues) {
		this.registry = registry;
		this.queues = new QueueTags(maxQueues);
		this.depth = new RowGauges(MultiGauge.builder("jobqueue.depth")
			.description("Live jobs: ready (due and waiting), delayed (not yet due), "
					+ "waiting (for an earlier one of their order key, or for their limit key), running (claimed)"),
				registry);
		this.oldestAge = new RowGauges(MultiGauge.builder("jobqueue.oldest.age")
			.description("How long the first due job of the queue has waited")
			.baseUnit("seconds"), registry);
		this.suspects = new RowGauges(
				MultiGauge.builder("jobqueue.suspects")
					.description("Ready and delayed jobs under suspicion, which may have to wait for an empty worker"),
				registry);
		this.paused = new RowGauges(MultiGauge.builder("jobqueue.paused").description("1 if the queue is paused"),
				registry);
		this.archived = new RowGauges(MultiGauge.builder("jobqueue.archived").description("Archived jobs by state"),
				registry);
		this.tableRows = new RowGauges(MultiGauge.builder("jobqueue.table.rows")
			.description("Rows of the table, as the server's statistics say: about"), registry);
		this.tableSize = new RowGauges(MultiGauge.builder("jobqueue.table.size")
			.description("Room that the table and its indexes take, as the server's statistics say: about")
			.baseUnit("bytes"), registry);
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
		Map<Tags, Double> depths = new HashMap<>();
		List<Queues.Depth> queues = this.queues.busiest(sample.depths());
		for (Queues.Depth queue : queues) {
			depths.put(Tags.of("queue", queue.queue(), "state", "ready"), (double) queue.ready());
			depths.put(Tags.of("queue", queue.queue(), "state", "delayed"), (double) queue.delayed());
			depths.put(Tags.of("queue", queue.queue(), "state", "waiting"), (double) queue.waiting());
			depths.put(Tags.of("queue", queue.queue(), "state", "running"), (double) queue.running());
		}
		this.depth.show(depths);
		this.oldestAge.show(rows(queues, (queue) -> queue.oldestAge().toMillis() / 1000.0));
		this.suspects.show(rows(queues, Queues.Depth::suspects));
		this.paused.show(rows(queues, (queue) -> queue.paused() ? 1 : 0));
		Map<Tags, Double> states = new HashMap<>();
		sample.archived()
			.forEach((state, jobs) -> states.put(Tags.of("state", state.name().toLowerCase(Locale.ROOT)),
					(double) jobs));
		this.archived.show(states);
		Map<Tags, Double> rows = new HashMap<>();
		Map<Tags, Double> sizes = new HashMap<>();
		sample.tables().forEach((table, size) -> {
			rows.put(Tags.of("table", table), (double) size.rows());
			sizes.put(Tags.of("table", table), (double) size.bytes());
		});
		this.tableRows.show(rows);
		this.tableSize.show(sizes);
	}

	private static Map<Tags, Double> rows(List<Queues.Depth> queues, ToDoubleFunction<Queues.Depth> value) {
		Map<Tags, Double> rows = new HashMap<>();
		for (Queues.Depth queue : queues) {
			rows.put(Tags.of("queue", queue.queue()), value.applyAsDouble(queue));
		}
		return rows;
	}

}
