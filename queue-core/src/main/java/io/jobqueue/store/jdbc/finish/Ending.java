package io.jobqueue.store.jdbc.finish;

import java.util.List;
import java.util.function.BiConsumer;

import io.jobqueue.store.Finish;

/**
 * What becomes of jobs whose claims end in one way.
 *
 * @param <T> the way
 * @param type its type
 * @param end ends claims, all of them current and at least one, in the transaction that
 * has locked their jobs
 */
public record Ending<T extends Finish>(Class<T> type, BiConsumer<List<T>, LockClaims.Locked> end) {

	/**
	 * Ends those of some claims that end in this way.
	 * @param finishes the claims
	 * @param locked what is known of the locked jobs
	 */
	void endOwn(List<? extends Finish> finishes, LockClaims.Locked locked) {
		List<T> own = finishes.stream().filter(this.type::isInstance).map(this.type::cast).toList();
		if (!own.isEmpty()) {
			this.end.accept(own, locked);
		}
	}

}
