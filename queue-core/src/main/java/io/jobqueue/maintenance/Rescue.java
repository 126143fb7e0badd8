package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.jobqueue.store.Agenda;
import io.jobqueue.store.Claim;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.RowLocks;
import io.jobqueue.store.Texts;
import io.jobqueue.store.WorkerSessions.Expired;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.text.Durations;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions without heartbeats and takes back the jobs of sessions that are gone, and
 * those past their deadline. It does so only after it has been in touch with the database
 * for a whole session timeout: after an outage every session looks expired.
 */
public final class Rescue implements Chore {

	private static final Logger log = LoggerFactory.getLogger(Rescue.class);

	private static final int BATCH = 200;

	private final Supplier<Agenda> agenda;

	private final MaintenanceStore store;

	private final WorkerSessions sessions;

	private final RowLocks rowLocks;

	private final Duration interval;

	private final Duration sessionTimeout;

	private final LongSupplier nanoTime;

	private final AtomicLong rescued = new AtomicLong();

	private final DatabaseClock clock;

	private final Verdicts verdicts;

	private final WriteVerdicts writing;

	private long inTouchSince;

	private long lastRound;

	/**
	 * Creates the chore.
	 * @param source what it looks at
	 * @param settings its times
	 * @param nanoTime the monotonic clock
	 * @param random the source of jitter
	 */
	public Rescue(Source source, Settings settings, LongSupplier nanoTime, RandomGenerator random) {
		this.agenda = source.agenda();
		this.store = source.store();
		this.sessions = source.sessions();
		this.rowLocks = source.rowLocks();
		this.interval = settings.interval();
		this.sessionTimeout = settings.sessionTimeout();
		this.nanoTime = nanoTime;
		this.verdicts = new Verdicts(this.store, random);
		this.writing = new WriteVerdicts(this.store, random);
		this.clock = new DatabaseClock(nanoTime, settings.sessionTimeout().dividedBy(3));
		this.inTouchSince = nanoTime.getAsLong();
		this.lastRound = this.inTouchSince;
	}

	@Override
	public String name() {
		return "rescue";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	/**
	 * How many jobs were rescued.
	 * @return the count since the start
	 */
	public long rescued() {
		return this.rescued.get();
	}

	@Override
	public int runOnce() {
		try {
			// A round that is late, or took long, was an outage too: a frozen server
			// answers in the end.
			long before = this.nanoTime.getAsLong();
			boolean late = before - this.lastRound > this.sessionTimeout.toNanos();
			Agenda agenda = this.agenda.get();
			List<OverdueJob> overdue = agenda.rescue() ? this.store.overdue(Long.MIN_VALUE, BATCH) : List.of();
			long now = this.nanoTime.getAsLong();
			this.lastRound = now;
			if (late || now - before > this.sessionTimeout.toNanos() / 2) {
				this.inTouchSince = now;
			}
			LocalDateTime databaseNow = agenda.now();
			Expired expired = (agenda.rescue() || databaseNow == null) ? this.sessions.expired()
					: new Expired(databaseNow, Map.of());
			Duration ahead = this.clock.read(expired.now());
			if (!ahead.isZero()) {
				log.warn("The database's clock has jumped ahead by {}. Nothing is rescued for {}, so that workers can "
						+ "prolong their sessions", Durations.text(ahead), Durations.text(this.sessionTimeout));
				this.inTouchSince = now;
			}
			if (now - this.inTouchSince < this.sessionTimeout.toNanos()) {
				return 0;
			}
			if (!agenda.rescue()) {
				return 0;
			}
			boolean anyEnded = endSessions(expired);
			return (this.rowLocks.endGone(this.clock::elapsed) > 0 || anyEnded)
					? takeBack(this.store.overdue(Long.MIN_VALUE, BATCH)) : takeBack(overdue);
		}
		catch (RuntimeException ex) {
			this.inTouchSince = this.nanoTime.getAsLong();
			this.lastRound = this.inTouchSince;
			throw ex;
		}
	}

	private boolean endSessions(Expired expired) {
		LocalDateTime latest = this.clock.latest(expired.now());
		boolean any = false;
		for (Map.Entry<Long, String> session : expired.workers().entrySet()) {
			if (this.sessions.endExpired(session.getKey(), latest)) {
				any = true;
				log.warn("Worker '{}' has had no heartbeat for its session timeout; its session is ended",
						session.getValue());
			}
		}
		return any;
	}

	private int takeBack(List<OverdueJob> overdue) {
		int total = 0;
		for (List<OverdueJob> batch = overdue; !batch.isEmpty(); batch = following(batch)) {
			total += takeBackBatch(batch);
		}
		return total;
	}

	/**
	 * Goes on behind a batch, whatever was taken of it: jobs that stay where they are,
	 * because they are locked or the database refuses them, must not keep the others.
	 */
	private List<OverdueJob> following(List<OverdueJob> batch) {
		if (batch.size() < BATCH || Thread.currentThread().isInterrupted()) {
			return List.of();
		}
		return this.store.overdue(batch.get(batch.size() - 1).claim().id(), BATCH);
	}

	/**
	 * A deadline that has passed only because the clock has jumped is none.
	 */
	private boolean isToBeTaken(OverdueJob job) {
		return job.orphaned() || this.clock.elapsed(job.heldFor()).compareTo(job.allowed()) >= 0;
	}

	private int takeBackBatch(List<OverdueJob> found) {
		List<OverdueJob> batch = found.stream().filter(this::isToBeTaken).toList();
		Set<Claim> left = this.writing.write(batch.stream().map((job) -> this.verdicts.on(job)).toList());
		List<OverdueJob> taken = batch.stream().filter((job) -> !left.contains(job.claim())).toList();
		this.rescued.addAndGet(taken.size());
		if (!taken.isEmpty()) {
			log.info("{} job(s) rescued: {}", taken.size(),
					Texts.firstOf(taken.stream().map((job) -> job.type() + " job " + job.claim().id()).toList()));
		}
		taken.stream()
			.filter(Verdicts::isConvicted)
			.forEach((job) -> log.warn(
					"{} job {} is dead: its worker died {} times while it held the job; the last time it held no other",
					job.type(), job.claim().id(), job.crashes() + 1));
		return taken.size();
	}

	/**
	 * Where it looks.
	 *
	 * @param agenda tells whether there is anybody to be rescued
	 * @param store the jobs
	 * @param sessions the worker sessions
	 * @param rowLocks the jobs of row-lock queues while they run
	 */
	public record Source(Supplier<Agenda> agenda, MaintenanceStore store, WorkerSessions sessions, RowLocks rowLocks) {

	}

	/**
	 * When to rescue.
	 *
	 * @param interval how often to look
	 * @param sessionTimeout how long a session lives without a heartbeat
	 */
	public record Settings(Duration interval, Duration sessionTimeout) {

	}

}
