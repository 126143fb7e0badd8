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
 * @param limit how many it may hold because of suspects among them;
 * {@link Suspicion#ANY_COMPANY} for any number
 * @param slots how many attempts it runs at once
 */
public record Company(int held, int limit, int slots) {

	/**
	 * The company of a worker that holds nothing.
	 * @param slots how many attempts it runs at once
	 * @return the company
	 */
	public static Company none(int slots) {
		return new Company(0, Suspicion.ANY_COMPANY, slots);
	}

	/**
	 * Whether the worker holds jobs that nothing more may join, because they need an
	 * empty worker.
	 * @return true if it does
	 */
	public boolean isClosed() {
		return this.limit != Suspicion.ANY_COMPANY && this.limit < Suspicion.firstCompany(this.slots);
	}

	/**
	 * How many more jobs the worker may hold because of those that it holds.
	 * @return the number; {@link Integer#MAX_VALUE} for any
	 */
	public int room() {
		return (this.limit == Suspicion.ANY_COMPANY) ? Integer.MAX_VALUE : this.limit - this.held;
	}

	/**
	 * Chooses which jobs may join.
	 * @param <T> what stands for a job
	 * @param jobs the jobs, in their order
	 * @param suspicion what is known against each
	 * @param permit what the cluster leaves
	 * @return those that the worker may hold together
	 */
	public <T> Joined<T> join(List<T> jobs, Function<T, Suspicion> suspicion, Permit permit) {
		List<T> joined = new ArrayList<>();
		int most = this.limit;
		int limited = permit.limited();
		boolean anySuspect = false;
		boolean refused = false;
		@Nullable T solo = null;
		for (T job : jobs) {
			Suspicion its = suspicion.apply(job);
			int both = smaller(most, its.company(this.slots));
			if (both != Suspicion.ANY_COMPANY && this.held + joined.size() >= both) {
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
			joined.add(job);
			most = both;
		}
		return new Joined<>(joined, most, solo, refused);
	}

	private static int smaller(int one, int other) {
		if (one == Suspicion.ANY_COMPANY || other == Suspicion.ANY_COMPANY) {
			return Math.max(one, other);
		}
		return Math.min(one, other);
	}

	/**
	 * The jobs that a worker may hold together.
	 *
	 * @param <T> what stands for a job
	 * @param jobs the jobs
	 * @param limit how many jobs the worker may hold in all because of them
	 * @param solo the one that runs solo, or null if none does
	 * @param soloRefused whether one could not run solo, because other suspects run
	 */
	public record Joined<T>(List<T> jobs, int limit, @Nullable T solo, boolean soloRefused) {

	}

}
