package io.jobqueue.poison;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * What a worker holds when it claims, and so what it may take of jobs that are under
 * suspicion.
 *
 * @param held how many jobs it holds
 * @param heldLimit how many it may hold because of suspects among them;
 * {@link Suspicion#NO_LIMIT} for any number
 * @param slots how many attempts it runs at once
 */
public record Load(int held, int heldLimit, int slots) {

	/**
	 * The load of a worker that holds nothing.
	 * @param slots how many attempts it runs at once
	 * @return the load
	 */
	public static Load empty(int slots) {
		return new Load(0, Suspicion.NO_LIMIT, slots);
	}

	/**
	 * Whether the worker holds jobs that nothing more may join, because they need an
	 * empty worker.
	 * @return true if it does
	 */
	public boolean isClosed() {
		return this.heldLimit != Suspicion.NO_LIMIT && this.heldLimit < Suspicion.firstHeldLimit(this.slots);
	}

	/**
	 * How many more jobs the worker may hold because of those that it holds.
	 * @return the number; {@link Integer#MAX_VALUE} for any
	 */
	public int room() {
		return (this.heldLimit == Suspicion.NO_LIMIT) ? Integer.MAX_VALUE : this.heldLimit - this.held;
	}

	/**
	 * Chooses which jobs the worker may hold beside those that it holds.
	 * @param <T> what stands for a job
	 * @param jobs the jobs, in their order
	 * @param suspicion what is known against each
	 * @param permit what the cluster leaves
	 * @return those that the worker may hold together
	 */
	public <T> Admitted<T> admit(List<T> jobs, Function<T, Suspicion> suspicion, Permit permit) {
		List<T> admitted = new ArrayList<>();
		int most = this.heldLimit;
		int limited = permit.limited();
		boolean anySuspect = false;
		boolean refused = false;
		@Nullable T solo = null;
		for (T job : jobs) {
			Suspicion its = suspicion.apply(job);
			int both = smaller(most, its.heldLimit(this.slots));
			if (both != Suspicion.NO_LIMIT && this.held + admitted.size() >= both) {
				continue;
			}
			if (its.isSolo()) {
				if (!permit.solo() || anySuspect) {
					refused = true;
					continue;
				}
				solo = job;
			}
			else if (its.isSuspect()) {
				if (solo != null || (its.isLimited() && limited-- <= 0)) {
					continue;
				}
			}
			anySuspect |= its.isSuspect();
			admitted.add(job);
			most = both;
		}
		return new Admitted<>(admitted, most, solo, refused);
	}

	private static int smaller(int one, int other) {
		if (one == Suspicion.NO_LIMIT || other == Suspicion.NO_LIMIT) {
			return Math.max(one, other);
		}
		return Math.min(one, other);
	}

	/**
	 * The jobs that a worker may hold together.
	 *
	 * @param <T> what stands for a job
	 * @param jobs the jobs
	 * @param heldLimit how many jobs the worker may hold in all because of them
	 * @param solo the one that runs solo, or null if none does
	 * @param soloRefused whether one could not run solo, because other suspects run
	 */
	public record Admitted<T>(List<T> jobs, int heldLimit, @Nullable T solo, boolean soloRefused) {

	}

}
