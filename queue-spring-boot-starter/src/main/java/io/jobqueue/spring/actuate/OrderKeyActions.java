package io.jobqueue.spring.actuate;

import java.util.List;
import java.util.Set;

import io.jobqueue.BlockedKey;
import io.jobqueue.JobQueue;
import io.jobqueue.spring.actuate.JobQueueEndpoint.Result;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * What operators see of blocked order keys, and do with them, through the endpoint.
 */
final class OrderKeyActions {

	/** What stands in the path in place of a job's id. */
	static final String PATH = "blocked-keys";

	static final String UNBLOCK = "unblock";

	private static final int MOST = 100;

	private final JobQueue queue;

	OrderKeyActions(JobQueue queue) {
		this.queue = queue;
	}

	BlockedKeys list() {
		return new BlockedKeys(this.queue.blockedKeys(MOST));
	}

	/**
	 * Unblocks an order key.
	 * @param what the key, and nothing else
	 * @return how much was changed
	 * @throws InvalidEndpointRequestException if it cannot be done, with the reason
	 */
	Result unblock(JobQueueActions.Target what) {
		String key = what.key();
		if (key == null || !what.fields().equals(Set.of("key"))) {
			throw refused("The action 'unblock' needs the order key in its JSON body, as in {\"key\": \"order-42\"}, "
					+ "and nothing else");
		}
		try {
			boolean unblocked = this.queue.unblock(key);
			return new Result(UNBLOCK, unblocked ? 1 : 0,
					unblocked ? null : "The order key '" + key + "' is not blocked");
		}
		catch (IllegalArgumentException ex) {
			throw refused(String.valueOf(ex.getMessage()));
		}
	}

	private static InvalidEndpointRequestException refused(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

	/**
	 * The order keys that are blocked.
	 *
	 * @param blockedKeys at most 100, the longest blocked first
	 */
	record BlockedKeys(List<BlockedKey> blockedKeys) {

	}

}
