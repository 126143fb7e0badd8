package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.jobqueue.database.Database;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.OrderKeys.Settled;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.order.Heads.Head;

/**
 * Decides which job of a key may run: WAITING → READY. Under the locks of the keys' rows,
 * where a key's head has ended it makes the first job that waits its head.
 */
final class SettleKeys {

	/** As long as places are given up whose jobs do not wait. */
	private static final int MOST_ROUNDS = 50;

	private final Database database;

	private final KeyRows rows;

	private final Places places;

	private final Heads heads;

	private final AfterDeath afterDeath;

	private final ParkJobs park;

	private final AdmitJobs admit;

	SettleKeys(Database database, EndJobs end, BlockedKeys blocked) {
		this.database = database;
		this.rows = new KeyRows(database);
		this.places = new Places(database);
		this.heads = new Heads(database);
		this.afterDeath = new AfterDeath(blocked, this.places);
		this.park = new ParkJobs(database, end, this.places);
		this.admit = new AdmitJobs(database, end, this.places);
	}

	/**
	 * Sees to the keys of changes, in the transaction that is open, which has locked
	 * them.
	 */
	Seen see(List<Change> read) {
		if (read.isEmpty()) {
			return new Seen(read, List.of(), List.of(), Set.of(), Decided.NOTHING);
		}
		KeyRows.Locked locked = this.rows.lock(read.stream().map(Change::key).toList());
		List<Change> seen = read.stream().filter((change) -> locked.rows().containsKey(change.key())).toList();
		Decided decided = decide(prepared(locked.rows(), seen).values());
		// Of each key that is to be seen to again one change stays. Many of one key would
		// hide those of others.
		Set<String> kept = new HashSet<>();
		List<Change> done = seen.stream()
			.filter((change) -> !decided.again().contains(change.key()) || !kept.add(change.key()))
			.toList();
		return new Seen(read, seen, done, Set.copyOf(locked.missing()), decided);
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

		static final Decided NOTHING = new Decided(List.of(), Set.of(), 0, 0);

	}

	/**
	 * What has become of changes.
	 *
	 * @param read the changes
	 * @param seen those of them whose keys could be seen to
	 * @param done those of them that are to be deleted
	 * @param missing the keys that have no row yet
	 * @param decided what has become of the keys
	 */
	record Seen(List<Change> read, List<Change> seen, List<Change> done, Set<String> missing, Decided decided) {

		Settled settled(int limit) {
			int left = (int) this.read.stream().filter((change) -> !this.missing.contains(change.key())).count()
					- this.done.size();
			return new Settled(this.done.size() + this.decided.parked(), left, this.read.size() >= limit,
					this.decided.ready());
		}

		/**
		 * Those whose keys no other transaction has locked.
		 */
		List<Change> notLocked() {
			Set<Change> known = new HashSet<>(this.seen);
			return this.read.stream()
				.filter((change) -> known.contains(change) || this.missing.contains(change.key()))
				.toList();
		}

		/**
		 * Those that stay because there is more to do for their keys. If nothing could be
		 * done, others have locked what they wait for.
		 */
		List<Change> again() {
			boolean any = !this.done.isEmpty() || this.decided.parked() + this.decided.tidied() > 0;
			Set<Change> over = new HashSet<>(this.done);
			return any ? this.seen.stream().filter((change) -> !over.contains(change)).toList() : List.of();
		}

	}

}
