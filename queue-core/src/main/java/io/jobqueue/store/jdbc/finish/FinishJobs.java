package io.jobqueue.store.jdbc.finish;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Transactions;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.jdbc.table.StoreErrors;

/**
 * Ends claims of all kinds in one transaction: first the fences, then each transition for
 * those still current; a long list in chunks, by id.
 */
public final class FinishJobs {

	private final Transactions transactions;

	private final LockClaims locks;

	private final List<Ending<?>> endings;

	/**
	 * Creates the exit.
	 * @param transactions the queue's own transactions
	 * @param locks the check of the fences
	 * @param endings one for each way in which a claim ends
	 */
	public FinishJobs(Transactions transactions, LockClaims locks, List<Ending<?>> endings) {
		this.transactions = transactions;
		this.locks = locks;
		this.endings = List.copyOf(endings);
		Set<Class<?>> types = this.endings.stream().map(Ending::type).collect(Collectors.toSet());
		if (!types.equals(Set.of(Finish.class.getPermittedSubclasses()))) {
			throw new IllegalArgumentException("Claims end in other ways too than " + types);
		}
	}

	/**
	 * All the ways in which claims end.
	 * @param end for jobs that do not come back
	 * @param again for those that do
	 */
	public static List<Ending<?>> endings(EndJobs end, ReadyAgain again) {
		return List.of(new Ending<>(Finish.Ack.class, end::ack),
				new Ending<>(Finish.DeadLetter.class, (dead, locked) -> end.deadLetter(
						dead.stream().map((one) -> new StoreErrors.Entry(one.claim(), one.failure())).toList())),
				new Ending<>(Finish.Retry.class, (retries, locked) -> again.retry(retries)),
				new Ending<>(Finish.Release.class, (releases, locked) -> again.release(releases)),
				new Ending<>(Finish.Outage.class, (outages, locked) -> again.outage(outages)),
				new Ending<>(Finish.Rescue.class, (rescues, locked) -> again.rescue(rescues)));
	}

	/**
	 * Ends claims in a transaction of its own.
	 * @return the claims that were not current, or whose jobs are locked
	 */
	public Set<Claim> finish(Collection<? extends Finish> finishes, LockWaits waits) {
		List<? extends Finish> sorted = finishes.stream()
			.sorted(Comparator.comparingLong((finish) -> finish.claim().id()))
			.toList();
		return this.transactions.run(waits, () -> {
			Set<Claim> stale = new HashSet<>();
			Chunks.of(sorted).forEach((chunk) -> stale.addAll(finishChunk(chunk)));
			return stale;
		});
	}

	private Set<Claim> finishChunk(List<? extends Finish> finishes) {
		List<Claim> claims = finishes.stream().map(Finish::claim).toList();
		LockClaims.Locked locked = this.locks.lock(claims);
		Set<Claim> stale = new HashSet<>(claims);
		stale.removeAll(locked.current());
		List<? extends Finish> valid = finishes.stream()
			.filter((finish) -> locked.current().contains(finish.claim()))
			.toList();
		this.endings.forEach((ending) -> ending.endOwn(valid, locked));
		return stale;
	}

}
