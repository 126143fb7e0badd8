package io.jobqueue.store.jdbc.order;

import io.jobqueue.store.jdbc.order.Heads.Head;

import org.jspecify.annotations.Nullable;

/**
 * What follows for an order key from the death of its head.
 */
final class AfterDeath {

	private final BlockedKeys blocked;

	private final Places places;

	AfterDeath(BlockedKeys blocked, Places places) {
		this.blocked = blocked;
		this.places = places;
	}

	/**
	 * A key is blocked for as long as its head is neither redriven nor passed over by
	 * somebody, even if nothing is known of that job any more.
	 */
	KeyRow of(KeyRow row, @Nullable Head head) {
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
	static KeyRow anew(KeyRow row) {
		return new KeyRow(row.key(), 0, row.from(), KeyRow.State.OPEN, 0);
	}

}
