package io.jobqueue.poison;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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
	 * @return those that the worker may hold together
	 */
	public <T> Joined<T> join(List<T> jobs, Function<T, Suspicion> suspicion) {
		List<T> joined = new ArrayList<>();
		int most = this.limit;
		for (T job : jobs) {
			int own = suspicion.apply(job).company(this.slots);
			if (own == Suspicion.SOLO) {
				if (this.held == 0 && joined.isEmpty()) {
					return new Joined<>(List.of(job), Suspicion.SOLO);
				}
				continue;
			}
			int both = smaller(most, own);
			if (both == Suspicion.ANY_COMPANY || this.held + joined.size() < both) {
				joined.add(job);
				most = both;
			}
		}
		return new Joined<>(joined, most);
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
	 */
	public record Joined<T>(List<T> jobs, int limit) {

	}

}
