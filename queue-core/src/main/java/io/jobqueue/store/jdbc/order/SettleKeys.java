package io.jobqueue.store.jdbc.order;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.OrderKeys.Settled;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.order.Heads.Head;
import org.jspecify.annotations.Nullable;

/**
 * Decides which job of a key may run: WAITING → READY. One transaction reads changes,
 * locks the rows of their keys, and where a key's head has ended makes the first job that
 * waits its head.
 */
final class SettleKeys {

	private static final int LIMIT = 500;

	private final Database database;

	private final ReadChanges changes;

	private final KeyRows rows;

	private final Places places;

	private final Heads heads;

	private final BlockedKeys blocked;

	private final ParkJobs park;

	private final AdmitJobs admit;

	SettleKeys(Database database, EndJobs end, BlockedKeys blocked, LongSupplier nanoTime) {
		this.database = database;
		this.changes = new ReadChanges(database, nanoTime);
		this.rows = new KeyRows(database);
		this.places = new Places(database);
		this.heads = new Heads(database);
		this.blocked = blocked;
		this.park = new ParkJobs(database, end, this.places);
		this.admit = new AdmitJobs(database, end, this.places);
	}

	/**
	 * Sees to keys that have changed.
	 */
	Settled settle() {
		Set<String> missing = new HashSet<>();
		Settled settled = this.database.transactions().run(() -> settleSome(missing));
		if (missing.isEmpty()) {
			return settled;
		}
		this.rows.add(missing);
		return this.database.transactions().run(() -> settleSome(missing)).after(settled);
	}

	/**
	 * @param missing is told of keys that have no row
	 */
	private Settled settleSome(Set<String> missing) {
		missing.clear();
		List<Change> read = this.changes.read(LIMIT);
		if (read.isEmpty()) {
			return Settled.NOTHING;
		}
		KeyRows.Locked locked = this.rows.lock(read.stream().map(Change::key).toList());
		missing.addAll(locked.missing());
		List<Change> seen = read.stream().filter((change) -> locked.rows().containsKey(change.key())).toList();
		Decided decided = decide(prepared(locked.rows(), seen).values());
		List<Change> done = seen.stream().filter((change) -> !decided.again().contains(change.key())).toList();
		this.changes.delete(done);
		return new Settled(done.size(), read.size() - done.size(), read.size() >= LIMIT, decided.ready());
	}

	/**
	 * Sees to keys, whatever has changed.
	 * @return the jobs that are ready now
	 */
	List<NowReady> settle(Collection<String> keys) {
		Set<String> missing = new HashSet<>();
		List<NowReady> ready = new ArrayList<>(settle(keys, missing));
		if (!missing.isEmpty()) {
			this.rows.add(missing);
			ready.addAll(settle(List.copyOf(missing), missing));
		}
		return ready;
	}

	private List<NowReady> settle(Collection<String> keys, Set<String> missing) {
		return this.database.transactions().run(() -> {
			KeyRows.Locked locked = this.rows.lock(keys);
			missing.clear();
			missing.addAll(locked.missing());
			List<KeyRow> fromStart = locked.rows().values().stream().map((row) -> row.from(0)).toList();
			this.rows.save(fromStart);
			return decide(fromStart).ready();
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
		for (KeyRow row : rows) {
			Head head = heads.get(row.key());
			KeyRow now = afterDeath(row, head);
			if (now.state() == KeyRow.State.PARKED) {
				if (this.park.some(now)) {
					again.add(now.key());
				}
				else {
					now = anew(now);
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
		changed.addAll(admitted.rows());
		this.rows.save(changed);
		return new Decided(admitted.ready(), again);
	}

	/**
	 * A key is blocked for as long as its head is neither redriven nor passed over by
	 * somebody, even if nothing is known of that job any more.
	 */
	private KeyRow afterDeath(KeyRow row, @Nullable Head head) {
		if (row.state() == KeyRow.State.BLOCKED && (head == Head.WAITING || head == Head.LIVE)) {
			this.blocked.remove(row.key());
			return row.open();
		}
		if (row.state() == KeyRow.State.OPEN && head == Head.BLOCKS) {
			this.blocked.add(row.key(), row.head());
			return row.blocked();
		}
		if (row.state() == KeyRow.State.OPEN && head == Head.PARKS) {
			return row.parkedUntil(this.places.last(row.key()));
		}
		return row;
	}

	/** Its jobs have left their places, and it begins anew. */
	private static KeyRow anew(KeyRow row) {
		return new KeyRow(row.key(), 0, row.from(), KeyRow.State.OPEN, 0);
	}

	/**
	 * What has become of keys.
	 *
	 * @param ready the jobs that are ready now
	 * @param again the keys that are to be seen to again
	 */
	private record Decided(List<NowReady> ready, Set<String> again) {

	}

}
