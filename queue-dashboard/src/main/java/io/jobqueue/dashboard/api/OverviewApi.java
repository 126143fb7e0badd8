package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.spring.actuate.QueueSample;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.store.Queues;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.WorkerSessions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Everything at a glance, for any number of browsers at once: live jobs and workers are
 * read for all of them together, the rest is of the latest sample.
 */
public final class OverviewApi {

	private static final Logger log = LoggerFactory.getLogger(OverviewApi.class);

	private static final Duration DEPTHS = Duration.ofSeconds(3);

	private static final Duration WORKERS = Duration.ofSeconds(5);

	private static final Duration UNHANDLED = Duration.ofSeconds(30);

	private static final int PAGE = 100;

	private final QueueSampler sampler;

	private final RatesApi rates;

	private final Supplier<Set<String>> unhandledTypes;

	private volatile Set<String> unhandled = Set.of();

	private final Shared<Depths> depths;

	private final Shared<List<WorkerSessions.Session>> workers;

	/**
	 * Creates it.
	 * @param sampler measures what is shown of schedules, limits and the archive
	 * @param queues measures live jobs
	 * @param sessions lists the workers
	 * @param rates tells how many attempts start and fail
	 * @param unhandledTypes the types that have ready jobs and no live worker
	 */
	public OverviewApi(QueueSampler sampler, Queues queues, WorkerSessions sessions, RatesApi rates,
			Supplier<Set<String>> unhandledTypes) {
		this.sampler = sampler;
		this.rates = rates;
		this.unhandledTypes = unhandledTypes;
		this.depths = new Shared<>(DEPTHS, () -> new Depths(Instant.now(), queues.depths()), System::nanoTime);
		this.workers = new Shared<>(WORKERS, sessions::list, System::nanoTime);
	}

	/**
	 * Looks for types that nobody handles when somebody asks: on a node without a worker
	 * nobody else does.
	 * @param types looks for them
	 * @return what was found, or known before if the database cannot be asked
	 */
	public static Supplier<Set<String>> lookedFor(UnhandledTypes types) {
		Shared<Set<String>> shared = new Shared<>(UNHANDLED, () -> {
			types.runOnce();
			return types.current();
		}, System::nanoTime);
		return () -> {
			try {
				return shared.get();
			}
			catch (DataAccessException | TransactionException ex) {
				log.debug("Types that nobody handles could not be looked for", ex);
				return types.current();
			}
		};
	}

	/**
	 * While the database is away, what was known before, and why that is not all.
	 */
	Overview overview() {
		String away = null;
		Depths now = null;
		List<WorkerSessions.Session> sessions = null;
		try {
			now = this.depths.get();
			sessions = this.workers.get();
		}
		catch (CannotAcquireLockException ex) {
			throw ex;
		}
		catch (DataAccessException | TransactionException ex) {
			away = SqlFailure.isOutage(ex) ? "It does not answer." : "It refuses: the log says why.";
			log.atLevel(SqlFailure.isOutage(ex) ? Level.DEBUG : Level.WARN)
				.setCause(ex)
				.log("The overview could not be read");
		}
		QueueSample sample = this.sampler.latest();
		Depths known = (now != null) ? now
				: (this.depths.known() != null) ? this.depths.known() : new Depths(sample.takenAt(), sample.depths());
		List<WorkerSessions.Session> live = (sessions != null) ? sessions
				: (this.workers.known() != null) ? this.workers.known() : List.of();
		RatesApi.Rates rates = (away != null) ? this.rates.known() : this.rates.rates();
		List<QueueRow> rows = rows(known.queues(), rates);
		return new Overview(known.at(), sample.archivedAt(), counts(known.queues(), sample),
				rows.stream().limit(PAGE).toList(), rows.size(), Slots.of(live),
				Problems.of(new Problems.Facts(known.queues(), live, sample, unhandled(away != null), rates.failing(),
						away)),
				away);
	}

	/** While the database is away, it is not asked for these too. */
	private Set<String> unhandled(boolean away) {
		if (!away) {
			this.unhandled = this.unhandledTypes.get();
		}
		return this.unhandled;
	}

	/**
	 * Lets the next one who asks see what was changed.
	 */
	void expire() {
		this.depths.expire();
	}

	/**
	 * Queues by name, beyond the busiest ones too.
	 * @param name what their names have in them; null for all
	 * @param page which page of a hundred, from 0
	 */
	Aged<QueueList> queues(@Nullable String name, int page) {
		RatesApi.Rates rates = this.rates.rates();
		return this.depths.aged().map((known) -> {
			List<QueueRow> rows = rows(known.queues(), rates).stream()
				.filter((row) -> name == null || row.name().contains(name))
				.toList();
			return new QueueList(rows.stream().skip((long) page * PAGE).limit(PAGE).toList(), rows.size());
		});
	}

	/**
	 * Why a job has not started though it is due, as far as that can be seen.
	 */
	List<String> reasons(Job job) {
		try {
			return Reasons.of(job, this.depths.get().queues(), this.workers.get());
		}
		catch (DataAccessException | TransactionException ex) {
			log.debug("Why a job waits could not be found out", ex);
			return List.of();
		}
	}

	Aged<List<WorkerRow>> workers() {
		return this.workers.aged().map((live) -> live.stream().map(WorkerRow::of).toList());
	}

	private static List<QueueRow> rows(List<Queues.Depth> depths, RatesApi.Rates rates) {
		return depths.stream()
			.map((depth) -> QueueRow.of(depth, rates.get(depth.queue())))
			.sorted(Comparator.comparingLong(QueueRow::live).reversed().thenComparing(QueueRow::name))
			.toList();
	}

	private static Map<String, @Nullable Long> counts(List<Queues.Depth> depths, QueueSample sample) {
		Map<String, @Nullable Long> counts = new LinkedHashMap<>();
		counts.put("ready", sum(depths, Queues.Depth::ready));
		counts.put("delayed", sum(depths, Queues.Depth::delayed));
		counts.put("waiting", sum(depths, Queues.Depth::waiting));
		counts.put("running", sum(depths, Queues.Depth::running));
		for (JobState state : EnumSet.range(JobState.SUCCEEDED, JobState.EXPIRED)) {
			counts.put(state.name().toLowerCase(Locale.ROOT),
					(sample.archivedAt() != null) ? sample.archived().getOrDefault(state, 0L) : null);
		}
		return counts;
	}

	private static long sum(List<Queues.Depth> depths, ToLongFunction<Queues.Depth> jobs) {
		return depths.stream().mapToLong(jobs).sum();
	}

	private record Depths(@Nullable Instant at, List<Queues.Depth> queues) {

	}

	/**
	 * Everything at a glance.
	 *
	 * @param at when live jobs were measured, by this node's clock; null if they never
	 * were
	 * @param archivedAt when jobs that have ended were counted; null if they never were
	 * @param counts jobs by state; null for those that were not counted yet
	 * @param queues at most 100, those with the most live jobs first
	 * @param queueCount how many there are
	 * @param slots of all workers together
	 * @param problems what is wrong, the worst first
	 * @param away why the database cannot be asked; null if it can
	 */
	record Overview(@Nullable Instant at, @Nullable Instant archivedAt, Map<String, @Nullable Long> counts,
			List<QueueRow> queues, int queueCount, Slots slots, List<Problems.Problem> problems,
			@Nullable String away) {

	}

	/**
	 * A page of queues.
	 */
	record QueueList(List<QueueRow> queues, int count) {

	}

}
