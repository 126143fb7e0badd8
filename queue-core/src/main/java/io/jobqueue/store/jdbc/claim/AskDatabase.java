package io.jobqueue.store.jdbc.claim;

import java.util.function.Supplier;

import io.jobqueue.database.SkipLockedProbe;
import io.jobqueue.store.LockWaits;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims by SKIP LOCKED where the database passes over what is locked, else by comparing
 * fences. The database is asked when the answer is first needed.
 */
final class AskDatabase implements TakeJobs {

	private static final Logger log = LoggerFactory.getLogger(AskDatabase.class);

	private final SkipLockedProbe probe;

	private final TakeJobs skipLocked;

	private final Supplier<TakeJobs> otherwise;

	private volatile @Nullable TakeJobs chosen;

	AskDatabase(SkipLockedProbe probe, TakeJobs skipLocked, Supplier<TakeJobs> otherwise) {
		this.probe = probe;
		this.skipLocked = skipLocked;
		this.otherwise = otherwise;
	}

	@Override
	public void prepare() {
		chosen();
	}

	@Override
	public Taking begin(ClaimTransaction claim) {
		return chosen().begin(claim);
	}

	@Override
	public LockWaits waits() {
		return chosen().waits();
	}

	@Override
	public boolean takesByOneStatement() {
		return chosen().takesByOneStatement();
	}

	private TakeJobs chosen() {
		TakeJobs known = this.chosen;
		if (known != null) {
			return known;
		}
		String problem = this.probe.problem();
		TakeJobs found = problem.isEmpty() ? this.skipLocked : this.otherwise.get();
		log.info(problem.isEmpty() ? "Jobs are claimed by skip-locked: the database passes over rows that are locked"
				: "Jobs are claimed by compare-and-set, since the database does not pass over rows that are locked: {}",
				problem);
		this.chosen = found;
		return found;
	}

}
