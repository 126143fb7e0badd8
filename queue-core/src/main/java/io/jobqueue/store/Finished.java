package io.jobqueue.store;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What has become of claims that were to end.
 *
 * @param notWritten those for which nothing was written, because they were not current
 * any more, or locked
 * @param keys what has become of the order keys of acked jobs
 */
public record Finished(Set<Claim> notWritten, Keys keys) {

	/**
	 * What has become of the order keys of acked jobs.
	 *
	 * @param seenTo the acked jobs after which their keys need nobody any more
	 * @param ready the next jobs that are ready now
	 * @param claimed those that are claimed
	 */
	public record Keys(Set<Long> seenTo, List<OrderKeys.NowReady> ready, List<ClaimedJob> claimed) {

		/** No key was seen to: those that have changed are left to others. */
		public static final Keys NONE = new Keys(Set.of(), List.of(), List.of());

		/** What has become of all of them together. */
		public static Keys all(List<Keys> parts) {
			if (parts.size() <= 1) {
				return parts.isEmpty() ? NONE : parts.get(0);
			}
			return new Keys(parts.stream().flatMap((part) -> part.seenTo.stream()).collect(Collectors.toSet()),
					parts.stream().flatMap((part) -> part.ready.stream()).toList(),
					parts.stream().flatMap((part) -> part.claimed.stream()).toList());
		}

	}

}
