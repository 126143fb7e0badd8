package io.jobqueue.store.jdbc.table;

import java.util.List;
import java.util.function.ToIntFunction;

import io.jobqueue.database.Chunks;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.SqlFailure;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep has read at once, in order.
 *
 * @param <P> a place in the order
 * @param seen what it has looked at
 * @param limit how many it would have looked at
 */
public record Page<P>(List<Seen<P>> seen, int limit) {

	/**
	 * Does something about what is wanted. Where that fails for many at once it is done
	 * for each alone, so that a row which another program has written does not keep the
	 * others.
	 * @param work does it, for a part, and tells how many rows it has changed
	 */
	public Batch<P> batch(ToIntFunction<List<P>> work) {
		List<P> wanted = this.seen.stream().filter(Seen::wanted).map(Seen::at).toList();
		int changed = 0;
		RuntimeException failure = null;
		for (List<P> chunk : Chunks.of(wanted)) {
			try {
				changed += work.applyAsInt(chunk);
			}
			catch (RuntimeException ex) {
				if (SqlFailure.isOutage(ex) || SqlFailure.isConflict(ex)) {
					throw ex;
				}
				for (P one : chunk) {
					try {
						changed += work.applyAsInt(List.of(one));
					}
					catch (RuntimeException alone) {
						failure = (failure != null) ? failure : alone;
					}
				}
			}
		}
		return new Batch<>(changed, next(), failure);
	}

	private @Nullable P next() {
		return (this.seen.size() == this.limit) ? this.seen.get(this.limit - 1).at() : null;
	}

	/**
	 * A row that was looked at.
	 *
	 * @param <P> a place in the order
	 * @param at where it is
	 * @param wanted whether something is to be done about it
	 */
	public record Seen<P>(P at, boolean wanted) {

	}

}
