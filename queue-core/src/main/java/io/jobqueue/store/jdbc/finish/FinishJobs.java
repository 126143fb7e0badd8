package io.jobqueue.store.jdbc.finish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Transactions;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.StoreErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends claims of all kinds in one transaction: first the fences, then each transition for
 * those still current; a long list in chunks, by id.
 */
public final class FinishJobs {

	private static final Logger log = LoggerFactory.getLogger(FinishJobs.class);

	private final Transactions transactions;

	private final LockClaims locks;

	private final KeysOfAcked keys;

	private final AtomicBoolean keysWork = new AtomicBoolean(true);

	private final List<Ending<?>> endings;

	/**
	 * Creates the exit.
	 * @param transactions the queue's own transactions
	 * @param locks the check of the fences
	 * @param keys sees to the order keys of acked jobs
	 * @param endings one for each way in which a claim ends
	 */
	public FinishJobs(Transactions transactions, LockClaims locks, KeysOfAcked keys, List<Ending<?>> endings) {
		this.transactions = transactions;
		this.locks = locks;
		this.keys = keys;
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
		return finish(finishes, waits, null).notWritten();
	}

	/**
	 * The same, and sees to the order keys of acked jobs. If that fails the claims end
	 * all the same, and the keys are left to others.
	 * @param next whether to claim the next jobs; null if keys are to be left to others
	 * @return what has become of it
	 */
	public Finished finish(Collection<? extends Finish> finishes, LockWaits waits, @Nullable ClaimNext next) {
		List<? extends Finish> sorted = finishes.stream()
			.sorted(Comparator.comparingLong((finish) -> finish.claim().id()))
			.toList();
		try {
			return this.transactions.run(waits, () -> finishAll(sorted, next));
		}
		catch (KeysFailedException ex) {
			if (this.keysWork.getAndSet(false)) {
				log.warn(
						"The next jobs of order keys cannot run with the ends of those before them. The key loop makes "
								+ "them ready a moment later: {}",
						ex.reason.toString());
			}
			log.debug("Order keys of acked jobs are left to the key loop", ex.reason);
			return this.transactions.run(waits, () -> finishAll(sorted, null));
		}
	}

	private Finished finishAll(List<? extends Finish> finishes, @Nullable ClaimNext next) {
		Set<Claim> notWritten = new HashSet<>();
		List<Finished.Keys> keys = new ArrayList<>();
		Chunks.of(finishes).forEach((chunk) -> {
			LockClaims.Locked locked = this.locks.lock(chunk.stream().map(Finish::claim).toList());
			List<? extends Finish> valid = chunk.stream()
				.filter((finish) -> locked.current().contains(finish.claim()))
				.toList();
			chunk.stream()
				.map(Finish::claim)
				.filter((claim) -> !locked.current().contains(claim))
				.forEach(notWritten::add);
			Map<Long, String> acked = (next != null) ? keysOfAcked(valid, locked) : Map.of();
			this.endings.forEach((ending) -> ending.endOwn(valid, locked.without(acked.keySet())));
			// Last: no job is to be claimed before the one before it has ended.
			if (next != null && !acked.isEmpty()) {
				int claimed = keys.stream().mapToInt((before) -> before.claimed().size()).sum();
				keys.add(settle(acked, next.after(claimed)));
			}
		});
		return new Finished(notWritten, Finished.Keys.all(keys));
	}

	private static Map<Long, String> keysOfAcked(List<? extends Finish> finishes, LockClaims.Locked locked) {
		if (locked.orderKeys().isEmpty()) {
			return Map.of();
		}
		Map<Long, String> acked = new TreeMap<>(locked.orderKeys());
		acked.keySet()
			.retainAll(finishes.stream()
				.filter(Finish.Ack.class::isInstance)
				.map((ack) -> ack.claim().id())
				.collect(Collectors.toSet()));
		return acked;
	}

	private Finished.Keys settle(Map<Long, String> acked, ClaimNext next) {
		try {
			Finished.Keys settled = this.keys.settle(acked, next);
			this.keysWork.set(true);
			return settled;
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex) || (SqlFailure.isConflict(ex) && !SqlFailure.isLockWait(ex))) {
				throw ex;
			}
			throw new KeysFailedException(ex);
		}
	}

	/**
	 * The claims could end, if it were not for the keys.
	 */
	private static final class KeysFailedException extends RuntimeException {

		/** Not the cause, for which the transaction would be repeated. */
		private final transient RuntimeException reason;

		KeysFailedException(RuntimeException reason) {
			super("Order keys cannot be seen to");
			this.reason = reason;
		}

	}

}
