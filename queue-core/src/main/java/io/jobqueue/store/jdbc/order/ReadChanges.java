package io.jobqueue.store.jdbc.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.NumberStatement;

/**
 * Reads changes and locks them: of each kind those of the lowest jobs first. To read from
 * the start may take long, since what was deleted stays in the table while somebody has
 * an old snapshot open; or it may be in vain, since others have locked the keys of all
 * that is there. Then a read begins where the last one ended, and at the start again only
 * after some time.
 */
final class ReadChanges {

	private static final String SELECT = """
			SELECT kind, job_id, order_key, waited
			FROM jobqueue_order_change{byPrimary}
			WHERE kind = :kind AND job_id > :after
			ORDER BY job_id
			LIMIT :limit
			{lockOrWait}""";

	private static final String LOCK = """
			SELECT kind, job_id, order_key, waited
			FROM jobqueue_order_change{byPrimary}
			WHERE kind = :kind AND job_id IN (:ids)
			{lockOrWait}""";

	private static final String DELETE = """
			{delete jobqueue_order_change} WHERE kind = :kind AND job_id IN (:ids)""";

	private static final int ENDED = 0;

	private static final int COME = 1;

	private static final long COSTLY_NANOS = Duration.ofMillis(20).toNanos();

	private static final int SHARE = 10;

	private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

	/** Whoever has locked a key has it for a moment, unless its host has vanished. */
	private static final long LOCKED_NANOS = Duration.ofMillis(10).toNanos();

	private static final long LOCKED_LONG_NANOS = Duration.ofSeconds(1).toNanos();

	private final Database database;

	private final LongSupplier nanoTime;

	private final Point ended = new Point(ENDED);

	private final Point come = new Point(COME);

	ReadChanges(Database database, LongSupplier nanoTime) {
		this.database = database;
		this.nanoTime = nanoTime;
	}

	/**
	 * Reads some, in the transaction that is open.
	 * @param limit how many of each kind, at most
	 */
	Read read(int limit) {
		return new Read(this.ended.read(limit), this.come.read(limit));
	}

	/**
	 * Locks some that were read before.
	 * @return those of them that are still there, and are locked by nobody else
	 */
	List<Change> lock(Collection<Change> changes) {
		List<Change> locked = new ArrayList<>();
		forEachKind(LOCK, changes, (statement) -> locked
			.addAll(statement.query((row, number) -> Change.read(row, this.database.dialect()))));
		return locked;
	}

	void delete(Collection<Change> changes) {
		forEachKind(DELETE, changes, NumberStatement::update);
	}

	private void forEachKind(String statement, Collection<Change> changes, Consumer<NumberStatement> run) {
		for (boolean come : List.of(false, true)) {
			List<Long> jobs = changes.stream()
				.filter((change) -> change.hasCome() == come)
				.map(Change::job)
				.distinct()
				.toList();
			Chunks.of(jobs)
				.forEach((chunk) -> run
					.accept(this.database.numbers(statement).param("kind", come ? COME : ENDED).ids(chunk)));
		}
	}

	/**
	 * Notes what has become of a read, once that is committed.
	 * @param read what was read
	 * @param seen those of them whose keys were not locked by others. If they are few,
	 * the next read goes on behind these; else they would hide all that follow
	 * @param again those with which the next read is to begin at the latest, however long
	 * it takes
	 */
	void note(Read read, Collection<Change> seen, Collection<Change> again) {
		this.ended.note(read.ended(), seen, again);
		this.come.note(read.come(), seen, again);
	}

	/**
	 * Whether the next read goes on behind changes that others have locked.
	 */
	boolean goesOn() {
		return this.ended.goesOn || this.come.goesOn;
	}

	/**
	 * What was read at once.
	 */
	record Read(Page ended, Page come) {

		List<Change> changes() {
			return Stream.concat(this.ended.changes().stream(), this.come.changes().stream()).toList();
		}

	}

	/**
	 * What was read of one kind.
	 *
	 * @param changes the changes
	 * @param limit how many there might have been
	 * @param fromStart whether it began with the first of all
	 * @param nanos how long it took
	 */
	record Page(List<Change> changes, int limit, boolean fromStart, long nanos) {

	}

	/**
	 * How far changes of one kind were read.
	 */
	private final class Point {

		private final int kind;

		private volatile long after = Long.MIN_VALUE;

		private volatile long again = Long.MAX_VALUE;

		private volatile long startAgainAt;

		private volatile long lockedPause;

		private volatile boolean goesOn;

		Point(int kind) {
			this.kind = kind;
		}

		Page read(int limit) {
			long begun = ReadChanges.this.nanoTime.getAsLong();
			boolean fromStart = this.after == Long.MIN_VALUE || (!this.goesOn && begun - this.startAgainAt >= 0);
			long from = this.goesOn ? this.after : Math.min(this.after, this.again - 1);
			List<Change> changes = ReadChanges.this.database.sql(SELECT)
				.param("kind", this.kind)
				.param("after", fromStart ? Long.MIN_VALUE : from)
				.param("limit", limit)
				.query((row, number) -> Change.read(row, ReadChanges.this.database.dialect()))
				.list();
			return new Page(changes, limit, fromStart, ReadChanges.this.nanoTime.getAsLong() - begun);
		}

		void note(Page page, Collection<Change> seen, Collection<Change> left) {
			boolean hidden = page.changes().size() == page.limit() && jobs(seen).count() < page.limit() / 2;
			if (page.fromStart()) {
				this.startAgainAt = ReadChanges.this.nanoTime.getAsLong() + pause(page.nanos(), hidden);
			}
			long first = jobs(left).min(Long::compare).orElse(Long.MAX_VALUE);
			this.again = this.goesOn ? Math.min(this.again, first) : first;
			if (!page.changes().isEmpty()) {
				this.after = page.changes().get(page.changes().size() - 1).job();
			}
			this.goesOn = hidden;
		}

		/**
		 * How long no read begins at the start.
		 */
		private long pause(long readNanos, boolean hidden) {
			this.lockedPause = hidden ? Math.min(LOCKED_LONG_NANOS, Math.max(LOCKED_NANOS, 2 * this.lockedPause)) : 0;
			long costly = (readNanos > COSTLY_NANOS) ? Math.min(LONGEST_NANOS, SHARE * readNanos) : 0;
			return Math.max(costly, this.lockedPause);
		}

		private Stream<Long> jobs(Collection<Change> changes) {
			return changes.stream().filter((change) -> change.hasCome() == (this.kind == COME)).map(Change::job);
		}

	}

}
