package io.jobqueue.store;

import java.time.Duration;

import io.jobqueue.ClaimStrategy;

/**
 * What the store keeps, where and how long, and how jobs are claimed from it.
 *
 * @param keepSucceeded whether succeeded jobs are archived; else they are deleted
 * @param inlinePayload the largest payload, in bytes of UTF-8, that is kept in the job's
 * own row
 * @param uniqueKeyRetention how long a unique key is held after its job became available
 * @param claim how jobs are claimed
 */
public record StoreSettings(boolean keepSucceeded, int inlinePayload, Duration uniqueKeyRetention,
		ClaimStrategy claim) {

	public static final StoreSettings DEFAULT = new StoreSettings(true, 4096, Duration.ofDays(1),
			ClaimStrategy.SKIP_LOCKED);

	public StoreSettings withKeepSucceeded(boolean keepSucceeded) {
		return new StoreSettings(keepSucceeded, this.inlinePayload, this.uniqueKeyRetention, this.claim);
	}

	public StoreSettings withUniqueKeyRetention(Duration uniqueKeyRetention) {
		return new StoreSettings(this.keepSucceeded, this.inlinePayload, uniqueKeyRetention, this.claim);
	}

	public StoreSettings withClaim(ClaimStrategy claim) {
		return new StoreSettings(this.keepSucceeded, this.inlinePayload, this.uniqueKeyRetention, claim);
	}

}
