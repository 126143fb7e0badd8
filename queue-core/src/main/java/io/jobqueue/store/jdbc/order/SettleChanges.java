package io.jobqueue.store.jdbc.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;
import io.jobqueue.store.OrderKeys.Settled;
import io.jobqueue.store.SqlFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to the keys that have changed: one transaction reads changes, locks the rows of
 * their keys, decides, and deletes those changes that are done with.
 */
final class SettleChanges {

	private static final Logger log = LoggerFactory.getLogger(SettleChanges.class);

	/** A key that fails is named this often, for as long as it does. */
	private static final Duration NAMED = Duration.ofMinutes(1);

	private static final int LIMIT = 500;

	/**
	 * As long as pages have hardly anything but changes of keys that others have locked.
	 */
	private static final int MOST_PAGES = 20;

	private final Database database;

	private final ReadChanges changes;

	private final KeyRows rows;

	private final SettleKeys keys;

	private final LongSupplier nanoTime;

	private volatile long nameAgainAt;

	SettleChanges(Database database, SettleKeys keys, LongSupplier nanoTime) {
		this.database = database;
		this.changes = new ReadChanges(database, nanoTime);
		this.rows = new KeyRows(database);
		this.keys = keys;
		this.nanoTime = nanoTime;
		this.nameAgainAt = nanoTime.getAsLong();
	}

	Settled settle() {
		Settled settled = settlePage();
		for (int page = 1; page < MOST_PAGES && this.changes.goesOn(); page++) {
			settled = settlePage().after(settled);
		}
		return settled;
	}

	private Settled settlePage() {
		List<Change> tried = new ArrayList<>();
		try {
			Turn turn = this.database.transactions().run(() -> {
				tried.clear();
				ReadChanges.Read read = this.changes.read(LIMIT);
				tried.addAll(read.changes());
				return new Turn(read, see(read.changes()));
			});
			this.changes.note(turn.read(), turn.seen().notLocked(), turn.seen().again());
			return withNewKeys(turn.seen());
		}
		catch (RuntimeException ex) {
			Map<String, List<Change>> byKey = tried.stream()
				.collect(Collectors.groupingBy(Change::key, TreeMap::new, Collectors.toList()));
			if (!SqlFailure.isOutage(ex) && !SqlFailure.isConflict(ex)) {
				settleEach(byKey, ex);
			}
			throw ex;
		}
	}

	/**
	 * Sees to each key alone: with one of them something is wrong.
	 */
	private void settleEach(Map<String, List<Change>> byKey, RuntimeException failure) {
		if (byKey.size() == 1) {
			name(byKey.keySet().iterator().next(), failure);
			return;
		}
		byKey.forEach((key, ofKey) -> {
			try {
				withNewKeys(seeAgain(ofKey));
			}
			catch (RuntimeException ex) {
				name(key, ex);
			}
		});
	}

	private void name(String key, RuntimeException failure) {
		log.debug("The order key '{}' cannot be seen to", key, failure);
		long now = this.nanoTime.getAsLong();
		if (now - this.nameAgainAt >= 0) {
			this.nameAgainAt = now + NAMED.toNanos();
			log.warn("The order key '{}' cannot be seen to, so its jobs wait: {}", key, failure.toString());
		}
	}

	/**
	 * Keys that have no row yet get one, and are seen to then.
	 */
	private Settled withNewKeys(SettleKeys.Seen seen) {
		Set<String> missing = seen.missing();
		if (missing.isEmpty()) {
			return seen.settled(LIMIT);
		}
		this.rows.add(missing);
		List<Change> theirs = seen.read().stream().filter((change) -> missing.contains(change.key())).toList();
		return seeAgain(theirs).settled(LIMIT).after(seen.settled(LIMIT));
	}

	private SettleKeys.Seen seeAgain(Collection<Change> read) {
		return this.database.transactions().run(() -> see(this.changes.lock(read)));
	}

	private SettleKeys.Seen see(List<Change> read) {
		SettleKeys.Seen seen = this.keys.see(read);
		this.changes.delete(seen.done());
		return seen;
	}

	/**
	 * What was read in a transaction, and what has become of it.
	 */
	private record Turn(ReadChanges.Read read, SettleKeys.Seen seen) {

	}

}
