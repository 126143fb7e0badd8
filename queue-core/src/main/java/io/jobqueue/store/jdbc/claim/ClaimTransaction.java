package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;

/**
 * The transaction of a claim. It may be repeated as a whole, with a new one of these.
 */
final class ClaimTransaction {

	private final ClaimRequest request;

	private final List<Runnable> onCommit = new ArrayList<>();

	ClaimTransaction(ClaimRequest request) {
		this.request = request;
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
