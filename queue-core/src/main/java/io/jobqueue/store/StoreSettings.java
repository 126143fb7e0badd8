package io.jobqueue.store;

import java.time.Duration;

/**
 * What the store keeps, where and how long.
 *
 * @param keepSucceeded whether succeeded jobs are archived; else they are deleted
 * @param inlinePayload the largest payload, in bytes of UTF-8, that is kept in the job's
 * own row
 * @param uniqueKeyRetention how long a unique key is held after its job became available
 */
public record StoreSettings(boolean keepSucceeded, int inlinePayload, Duration uniqueKeyRetention) {

	public static final StoreSettings DEFAULT = new StoreSettings(true, 4096, Duration.ofDays(1));

}
