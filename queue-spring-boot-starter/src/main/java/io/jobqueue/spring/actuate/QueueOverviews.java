package io.jobqueue.spring.actuate;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.jobqueue.JobState;
import io.jobqueue.spring.actuate.JobQueueEndpoint.Overview;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;
import org.jspecify.annotations.Nullable;

/**
 * Everything at a glance: what was measured, and what the database says now.
 */
final class QueueOverviews {

	private static final int NEWEST_DEAD = 20;

	private static final int PAGE = 100;

	private final Queues queues;

	private final WorkerSessions sessions;

	private final QueueSampler sampler;

	private final Supplier<Set<String>> unhandledTypes;

	/** As they were seen last. */
	private volatile Set<String> lastPaused = Set.of();

	QueueOverviews(Queues queues, WorkerSessions sessions, QueueSampler sampler, Supplier<Set<String>> unhandledTypes) {
		this.queues = queues;
		this.sessions = sessions;
		this.sampler = sampler;
		this.unhandledTypes = unhandledTypes;
	}

	Overview now(@Nullable String page, @Nullable String queue) {
		QueueSample sample = this.sampler.latest();
		Set<String> paused = this.queues.paused();
		this.lastPaused = paused;
		List<QueueView> views = views(sample.depths(), paused, queue);
		return new Overview(sample.takenAt(), counts(sample), views.size(), page(views, page), this.sessions.list(),
				this.unhandledTypes.get(), this.queues.newestDead(NEWEST_DEAD).stream().map(JobView::of).toList(),
				null);
	}

	/**
	 * What is known without the database.
	 * @param problem why it is not asked
	 */
	Overview known(@Nullable String page, @Nullable String queue, String problem) {
		QueueSample sample = this.sampler.latest();
		List<QueueView> views = views(sample.depths(), this.lastPaused, queue);
		return new Overview(sample.takenAt(), counts(sample), views.size(), page(views, page), List.of(),
				this.unhandledTypes.get(), List.of(), problem);
	}

	private static List<QueueView> page(List<QueueView> views, @Nullable String page) {
		return views.stream().skip(JobQueueActions.page(page) * PAGE).limit(PAGE).toList();
	}

	/**
	 * The queues, the busiest first.
	 */
	private static List<QueueView> views(List<Queues.Depth> depths, Set<String> paused, @Nullable String queue) {
		Map<String, QueueView> views = new TreeMap<>();
		for (String name : paused) {
			views.put(name, new QueueView(name, true, "fifo", "standard", 0, 0, 0, 0, 0, 0));
		}
		for (Queues.Depth depth : depths) {
			views.put(depth.queue(), QueueView.of(depth, paused.contains(depth.queue())));
		}
		return views.values()
			.stream()
			.filter((view) -> queue == null || view.name().equals(queue))
			.sorted(Comparator.comparingLong(QueueView::live).reversed())
			.toList();
	}

	private static Map<String, Long> counts(QueueSample sample) {
		Map<String, Long> counts = new LinkedHashMap<>();
		counts.put("ready", sum(sample, Queues.Depth::ready));
		counts.put("delayed", sum(sample, Queues.Depth::delayed));
		counts.put("waiting", sum(sample, Queues.Depth::waiting));
		counts.put("running", sum(sample, Queues.Depth::running));
		for (JobState state : EnumSet.range(JobState.SUCCEEDED, JobState.EXPIRED)) {
			counts.put(state.name().toLowerCase(Locale.ROOT), sample.archived().getOrDefault(state, 0L));
		}
		return counts;
	}

	private static long sum(QueueSample sample, ToLongFunction<Queues.Depth> jobs) {
		return sample.depths().stream().mapToLong(jobs).sum();
	}

}
