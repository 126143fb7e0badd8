package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.jobqueue.database.Database;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.OrderKeys.Settled;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.order.Heads.Head;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which job of a key may run: WAITING → READY. One transaction reads changes,
 * locks the rows of their keys, and where a key's head has ended makes the first job that
 * waits its head.
 */
final class SettleKeys {

	private static final Logger log = LoggerFactory.getLogger(SettleKeys.class);

	private static final int LIMIT = 500;

	/**
	 * As long as pages have hardly anything but changes of keys that others have locked.
	 */
	private static final int MOST_PAGES = 20;

	/** As long as places are given up whose jobs do not wait. */
	private static final int MOST_ROUNDS = 50;

	private final Database database;

	private final ReadChanges changes;

	private final KeyRows rows;

	private final Places places;

	private final Heads heads;

	private final AfterDeath afterDeath;

	private final ParkJobs park;

	private final AdmitJobs admit;

	SettleKeys(Database database, EndJobs end, BlockedKeys blocked, LongSupplier nanoTime) {
		this.database = database;
		this.changes = new ReadChanges(database, nanoTime);
		this.rows = new KeyRows(database);
		this.places = new Places(database);
		this.heads = new Heads(database);
		this.afterDeath = new AfterDeath(blocked, this.places);
		this.park = new ParkJobs(database, end, this.places);
		this.admit = new AdmitJobs(database, end, this.places);
	}

	/**
	 * Sees to keys that have changed.
	 */
	Settled settle() {
		Set<String> keys = new TreeSet<>();
		try {
			return settle((change) -> keys.add(change.key()) || true);
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex) || SqlFailure.isConflict(ex) || keys.size() == 1) {
				throw ex;
			}
			settleEach(keys);
			throw ex;
		}
	}

	/**
	 * Sees to each key alone: with one of them something is wrong.
	 */
	private void settleEach(Set<String> keys) {
		for (String key : keys) {
			try {
				settle((change) -> change.key().equals(key));
			}
			catch (RuntimeException ex) {
				log.debug("The order key '{}' cannot be seen to", key, ex);
			}
		}
	}

	private Settled settle(Predicate<Change> which) {
		Settled settled = settlePage(which);
		for (int page = 1; page < MOST_PAGES && this.changes.goesOn(); page++) {
			settled = settlePage(which).after(settled);
		}
		return settled;
	}

	private Settled settlePage(Predicate<Change> which) {
		Set<String> missing = new HashSet<>();
		Settled settled = this.database.transactions().run(() -> settleSome(which, missing));
		if (missing.isEmpty()) {
			return settled;
		}
		this.rows.add(missing);
		return this.database.transactions().run(() -> settleSome(which, missing)).after(settled);
	}

	/**
	 * @param missing is told of keys that have no row
	 */
	private Settled settleSome(Predicate<Change> which, Set<String> missing) {
		missing.clear();
		List<Change> read = this.changes.read(LIMIT).stream().filter(which).toList();
		if (read.isEmpty()) {
			return Settled.NOTHING;
		}
		KeyRows.Locked locked = this.rows.lock(read.stream().map(Change::key).toList());
		missing.addAll(locked.missing());
		List<Change> seen = read.stream().filter((change) -> locked.rows().containsKey(change.key())).toList();
		// Keys without a row are seen to next time.
		this.changes.seen(read.stream()
			.filter((change) -> locked.rows().containsKey(change.key()) || locked.missing().contains(change.key()))
			.toList(), LIMIT);
		Decided decided = decide(prepared(locked.rows(), seen).values());
		// Of each key that is to be seen to again one change stays. Many of one key would
		// hide those of others.
		Set<String> kept = new HashSet<>();
		List<Change> done = seen.stream()
			.filter((change) -> !decided.again().contains(change.key()) || !kept.add(change.key()))
			.toList();
		this.changes.delete(done);
		this.changes.again(read, done, (key) -> decided.again().contains(key) || missing.contains(key));
		return new Settled(done.size() + decided.parked(), read.size() - done.size(), read.size() >= LIMIT,
				decided.ready());
	}

	/**
	 * Sees to keys, whatever has changed.
	 * @return the jobs that are ready now
	 */
	List<NowReady> settle(Collection<String> keys) {
		Set<String> missing = new HashSet<>();
		List<NowReady> ready = new ArrayList<>();
		Set<String> left = new HashSet<>(keys);
		for (int i = 0; i < MOST_ROUNDS && !left.isEmpty(); i++) {
			Decided decided = settle(left, missing);
			ready.addAll(decided.ready());
			this.rows.add(missing);
			left.clear();
			left.addAll(missing);
			if (decided.tidied() > 0) {
				left.addAll(decided.again());
			}
		}
		return ready;
	}

	private Decided settle(Collection<String> keys, Set<String> missing) {
		return this.database.transactions().run(() -> {
			KeyRows.Locked locked = this.rows.lock(keys);
			missing.clear();
			missing.addAll(locked.missing());
			List<KeyRow> fromStart = locked.rows().values().stream().map((row) -> row.from(0)).toList();
			this.rows.save(fromStart);
			return decide(fromStart);
		});
	}

	/**
	 * The rows as they are once jobs have left their places, and others have come before
	 * the first place that was known.
	 */
	private Map<String, KeyRow> prepared(Map<String, KeyRow> locked, List<Change> seen) {
		this.places.deleteGone(seen.stream().filter(Change::waited).map(Change::place).toList());
		Map<String, KeyRow> earlier = new TreeMap<>();
		for (Change change : seen) {
			KeyRow known = Objects.requireNonNull(locked.get(change.key()));
			if (change.hasCome() && change.job() < known.from()) {
				KeyRow from = known.from(change.job());
				locked.put(change.key(), from);
				earlier.put(change.key(), from);
			}
		}
		this.rows.save(List.copyOf(earlier.values()));
		return locked;
	}

	private Decided decide(Collection<KeyRow> rows) {
		Map<String, Head> heads = this.heads.read(rows);
		Set<String> again = new HashSet<>();
		List<KeyRow> free = new ArrayList<>();
		List<KeyRow> changed = new ArrayList<>();
		int parked = 0;
		for (KeyRow row : rows) {
			Head head = heads.get(row.key());
			KeyRow now = this.afterDeath.of(row, head);
			if (now.state() == KeyRow.State.PARKED) {
				// Those of one key at a time, since they may be many.
				ParkJobs.Parked some = (parked > 0) ? ParkJobs.Parked.LATER : this.park.some(now);
				if (some.isOver()) {
					now = AfterDeath.anew(now);
				}
				else {
					parked += some.changed();
					again.add(now.key());
				}
			}
			if (now.state() == KeyRow.State.OPEN && head != Head.LIVE) {
				free.add(now);
			}
			else if (!now.equals(row)) {
				changed.add(now);
			}
		}
		AdmitJobs.Admitted admitted = this.admit.admit(free);
		again.addAll(admitted.again());
		changed.addAll(admitted.others());
		this.rows.saveHeads(admitted.heads());
		this.rows.save(changed);
		return new Decided(admitted.ready(), again, admitted.tidied(), parked);
	}

	/**
	 * What has become of keys.
	 *
	 * @param ready the jobs that are ready now
	 * @param again the keys that are to be seen to again
	 * @param tidied how many places were given up whose jobs do not wait
	 * @param parked how many jobs follow a dead one
	 */
	private record Decided(List<NowReady> ready, Set<String> again, int tidied, int parked) {

	}

}
