package io.jobqueue.store.jdbc.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;

/**
 * Reads changes and locks them: of each kind those of the lowest jobs first. Where
 * somebody has an old snapshot open, what was deleted stays in the table, and to pass it
 * takes time; then a read begins where the last one ended, and at the start again only
 * for a tenth of the time.
 */
final class ReadChanges {

	private static final String SELECT = """
			SELECT kind, job_id, order_key, waited
			FROM jobqueue_order_change{byPrimary}
			WHERE kind = :kind AND job_id > :after
			ORDER BY job_id
			LIMIT :limit
			{lockOrWait}""";

	private static final String DELETE = """
			{delete jobqueue_order_change} WHERE kind = :kind AND job_id IN (:ids)""";

	private static final int ENDED = 0;

	private static final int COME = 1;

	private static final long COSTLY_NANOS = Duration.ofMillis(20).toNanos();

	private static final int SHARE = 10;

	private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

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
	List<Change> read(int limit) {
		List<Change> changes = new ArrayList<>(this.ended.read(limit));
		changes.addAll(this.come.read(limit));
		return changes;
	}

	/**
	 * Notes which of those that were read last could be seen to. If most could not, since
	 * others have locked their keys, the next read goes on behind them; else they would
	 * hide all that follow.
	 * @param limit how many of each kind were to be read
	 */
	void seen(List<Change> changes, int limit) {
		this.ended.seen(changes, limit);
		this.come.seen(changes, limit);
	}

	/**
	 * Lets the next read begin at the first change that stays because there is more to do
	 * for its key, however long a read takes.
	 * @param read what was read last
	 * @param done those of them that do not stay
	 * @param keys tells for which keys there is more to do
	 */
	void again(List<Change> read, List<Change> done, Predicate<String> keys) {
		Set<Change> over = new HashSet<>(done);
		List<Change> left = read.stream()
			.filter((change) -> keys.test(change.key()) && !over.contains(change))
			.toList();
		this.ended.again(left);
		this.come.again(left);
	}

	/**
	 * Whether the next read goes on behind the last one.
	 */
	boolean goesOn() {
		return this.ended.goesOn || this.come.goesOn;
	}

	void delete(List<Change> changes) {
		for (boolean come : List.of(false, true)) {
			List<Long> jobs = changes.stream()
				.filter((change) -> change.hasCome() == come)
				.map(Change::job)
				.distinct()
				.toList();
			Chunks.of(jobs)
				.forEach((
						chunk) -> this.database.numbers(DELETE).param("kind", come ? COME : ENDED).ids(chunk).update());
		}
	}

	/**
	 * How far changes of one kind were read.
	 */
	private final class Point {

		private final int kind;

		private volatile long after = Long.MIN_VALUE;

		private volatile long startAgainAt;

		private volatile int lastRead;

		private volatile boolean goesOn;

		Point(int kind) {
			this.kind = kind;
		}

		List<Change> read(int limit) {
			long begun = ReadChanges.this.nanoTime.getAsLong();
			boolean fromStart = this.after == Long.MIN_VALUE || (!this.goesOn && begun - this.startAgainAt >= 0);
			List<Change> changes = ReadChanges.this.database.sql(SELECT)
				.param("kind", this.kind)
				.param("after", fromStart ? Long.MIN_VALUE : this.after)
				.param("limit", limit)
				.query((row, number) -> Change.read(row, ReadChanges.this.database.dialect()))
				.list();
			long now = ReadChanges.this.nanoTime.getAsLong();
			if (fromStart) {
				long took = now - begun;
				this.startAgainAt = now + ((took > COSTLY_NANOS) ? Math.min(LONGEST_NANOS, SHARE * took) : 0);
			}
			if (!changes.isEmpty()) {
				this.after = changes.get(changes.size() - 1).job();
			}
			this.lastRead = changes.size();
			return changes;
		}

		void seen(List<Change> changes, int limit) {
			this.goesOn = this.lastRead == limit && ofKind(changes).count() < limit / 2;
		}

		void again(List<Change> left) {
			ofKind(left).mapToLong(Change::job).min().ifPresent((job) -> this.after = Math.min(this.after, job - 1));
		}

		private Stream<Change> ofKind(List<Change> changes) {
			return changes.stream().filter((change) -> change.hasCome() == (this.kind == COME));
		}

	}

}
