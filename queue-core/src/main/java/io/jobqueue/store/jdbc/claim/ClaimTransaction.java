package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;

/**
 * The transaction of a claim. It may be repeated as a whole, with a new one of these. Or
 * its statements commit one by one: then what was taken stays taken, whatever comes
 * after.
 */
final class ClaimTransaction {

	private final ClaimRequest request;

	private final boolean separate;

	private final List<Runnable> onCommit = new ArrayList<>();

	private ClaimTransaction(ClaimRequest request, boolean separate) {
		this.request = request;
		this.separate = separate;
	}

	static ClaimTransaction of(ClaimRequest request) {
		return new ClaimTransaction(request, false);
	}

	/**
	 * Of statements that commit one by one.
	 */
	static ClaimTransaction separate(ClaimRequest request) {
		return new ClaimTransaction(request, true);
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

	void committed() {
		this.onCommit.forEach(Runnable::run);
	}

}
