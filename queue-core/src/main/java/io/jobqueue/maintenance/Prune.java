package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.jobqueue.JobArchiveSink;
import io.jobqueue.JobState;
import io.jobqueue.store.Keep;
import io.jobqueue.store.MaintenanceStore.ArchivedBatch;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.MaintenanceStore.OldKey;
import io.jobqueue.store.MaintenanceStore;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * Deletes what was kept long enough: archived jobs by the age and the number that are set
 * for their state, the most that any application on the schema has set, and unique keys
 * whose time is over. In small batches, each a transaction of its own. Where archived
 * jobs are stored elsewhere, that comes first.
 */
public final class Prune implements Chore {

	private static final Logger log = LoggerFactory.getLogger(Prune.class);

	private static final int MOST = 500;

	private final MaintenanceStore store;

	private final Supplier<String> application;

	private final Map<JobState, Keep> keep;

	private final Duration interval;

	private final @Nullable JobArchiveSink sink;

	/** Used by one thread at a time. */
	private volatile int batch = MOST;

	private volatile boolean toldOfOthers;

	private volatile boolean checked;

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param application which application wants them to be kept
	 * @param keep how long archived jobs of each state are kept; states that are not
	 * named are kept for ever
	 * @param interval how often to look
	 * @param sink what stores jobs elsewhere before they are deleted; null for nothing
	 */
	public Prune(MaintenanceStore store, Supplier<String> application, Map<JobState, Keep> keep, Duration interval,
			@Nullable JobArchiveSink sink) {
		this.store = store;
		this.application = application;
		this.keep = keep.entrySet()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey,
					(entry) -> new Keep(entry.getValue().age(), entry.getValue().rows(), sink != null)));
		this.interval = interval;
		this.sink = sink;
	}

	@Override
	public String name() {
		return "prune";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	/**
	 * So that other applications know of the sink at once.
	 */
	@Override
	public boolean atStart() {
		return this.sink != null;
	}

	@Override
	public int runOnce() {
		Round.<OldKey>of((after) -> this.store.pruneUniqueKeys(after, MOST));
		int total = 0;
		Map<JobState, Keep> retention = this.store.retention(this.application.get(), this.keep);
		if (this.sink != null && !this.checked) {
			use(this.sink, JobArchiveSink::check);
			this.checked = true;
			log.info("Archived jobs are stored by {} before they are deleted", this.sink);
		}
		for (Map.Entry<JobState, Keep> longest : retention.entrySet()) {
			if (longest.getValue().stored() && this.sink == null) {
				if (!this.toldOfOthers) {
					this.toldOfOthers = true;
					log.info(
							"Archived jobs are not pruned here, since there is no JobArchiveSink: another application on "
									+ "this schema, or an earlier version of this one, stores them elsewhere before it deletes "
									+ "them. That is assumed for 30 days after it was last seen; docs/guides/using.md says "
									+ "how to end it before");
				}
				continue;
			}
			LocalDateTime before = this.store.keptSince(longest.getKey(), longest.getValue());
			total += Round.<LocalDateTime>of((from) -> prune(longest.getKey(), before, from));
		}
		this.batch = Math.min(MOST, this.batch * 2);
		return total;
	}

	/**
	 * Large payloads may make more than a transaction may have, or than can be deleted in
	 * time. A failure may have had another cause, so the next round that is done lets
	 * batches grow again.
	 */
	private Batch<LocalDateTime> prune(JobState state, LocalDateTime before, @Nullable LocalDateTime from) {
		try {
			return (this.sink != null) ? storeAndPrune(this.sink, state, before, from)
					: this.store.prune(state, before, from, this.batch);
		}
		catch (RuntimeException ex) {
			this.batch = Math.max(1, this.batch / 2);
			throw ex;
		}
	}

	/**
	 * If none could be deleted, as somebody has locked them all, they would come again at
	 * once.
	 */
	private Batch<LocalDateTime> storeAndPrune(JobArchiveSink sink, JobState state, LocalDateTime before,
			@Nullable LocalDateTime from) {
		ArchivedBatch old = this.store.archived(state, before, from, this.batch);
		if (old.jobs().isEmpty()) {
			return new Batch<>(0, null);
		}
		use(sink, (one) -> one.store(old.jobs()));
		int deleted = this.store.deleteArchived(old.jobs());
		return new Batch<>(deleted, (deleted > 0) ? old.next() : null);
	}

	private static void use(JobArchiveSink sink, Use use) {
		try {
			use.of(sink);
		}
		catch (Exception ex) {
			if (ex instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			throw new IllegalStateException("Archived jobs cannot be stored by " + sink + ", so none is deleted: " + ex
					+ ((cause != ex) ? ", because of " + cause : ""), ex);
		}
	}

	/**
	 * Something to do with a sink.
	 */
	private interface Use {

		void of(JobArchiveSink sink) throws Exception;

	}

}
