package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;

import org.jspecify.annotations.Nullable;

/**
 * The transaction of a claim. It may be repeated as a whole, with a new one of these. Or
 * its statements commit one by one: then what was taken stays taken, whatever comes
 * after.
 */
final class ClaimTransaction {

	private final ClaimRequest request;

	private final Set<String> limitedTypes;

	private final boolean separate;

	private final List<Runnable> onCommit = new ArrayList<>();

	private final Set<Long> settled = new HashSet<>();

	private boolean again;

	private @Nullable LocalDateTime now;

	private ClaimTransaction(ClaimRequest request, Set<String> limitedTypes, boolean separate) {
		this.request = request;
		this.limitedTypes = limitedTypes;
		this.separate = separate;
	}

	/**
	 * Of statements that commit together.
	 * @param request what is to be claimed
	 * @param limitedTypes the types that have limits
	 */
	static ClaimTransaction of(ClaimRequest request, Set<String> limitedTypes) {
		return new ClaimTransaction(request, limitedTypes, false);
	}

	/**
	 * Of statements that commit one by one.
	 */
	static ClaimTransaction separate(ClaimRequest request, Set<String> limitedTypes) {
		return new ClaimTransaction(request, limitedTypes, true);
	}

	/**
	 * The database's time at some moment of the claim, before whatever asks for it next.
	 */
	LocalDateTime now(Supplier<LocalDateTime> clock) {
		LocalDateTime known = this.now;
		if (known == null) {
			known = clock.get();
			this.now = known;
		}
		return known;
	}

	boolean isSeparate() {
		return this.separate;
	}

	/**
	 * What is to be claimed.
	 */
	ClaimRequest request() {
		return this.request;
	}

	/**
	 * The types whose jobs are not to be taken from ranges of all types.
	 */
	Set<String> limitedTypes() {
		return this.limitedTypes;
	}

	/**
	 * How long a job may stay claimed.
	 */
	Duration deadline(ClaimedJob job) {
		return this.request.deadlines().of(job.type(), job.timeout());
	}

	/**
	 * Lets something be noted once the transaction is committed. If it is rolled back,
	 * the next claim has to find the same jobs again.
	 */
	void onCommit(Runnable note) {
		this.onCommit.add(note);
	}

	/**
	 * Notes that a job that was found does not stand where it stood, once the transaction
	 * is committed: it is claimed, archived or moved. Those that are found and left are
	 * to be found by the next claim.
	 */
	void settled(long job) {
		this.settled.add(job);
	}

	boolean isSettled(long job) {
		return this.settled.contains(job);
	}

	/**
	 * Notes that there may be jobs, though it may take none of them yet.
	 */
	void lookAgain() {
		this.again = true;
	}

	boolean isToLookAgain() {
		return this.again;
	}

	void committed() {
		this.onCommit.forEach(Runnable::run);
	}

}
