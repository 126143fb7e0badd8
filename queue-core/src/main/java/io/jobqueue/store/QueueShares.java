package io.jobqueue.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How the room of one claim is shared among queues.
 *
 * @param weights how many times the usual part a queue gets among those of its priority,
 * by name; 1 for one that is not named
 * @param rooms how many jobs of a queue may be claimed at most; any number of one that is
 * not named
 */
public record QueueShares(Map<String, Integer> weights, Map<String, Integer> rooms) {

	/** All queues alike, and none limited. */
	public static final QueueShares EQUAL = new QueueShares(Map.of(), Map.of());

	/**
	 * What is left beside jobs that were claimed already.
	 * @param claimed those jobs
	 */
	public QueueShares beside(List<ClaimedJob> claimed) {
		if (this.rooms.isEmpty()) {
			return this;
		}
		Map<String, Integer> left = new HashMap<>(this.rooms);
		claimed.forEach((job) -> left.computeIfPresent(job.queue(), (queue, room) -> room - 1));
		return new QueueShares(this.weights, left);
	}

	/**
	 * The queues of which nothing may be claimed.
	 */
	public Set<String> full() {
		return this.rooms.entrySet()
			.stream()
			.filter((room) -> room.getValue() <= 0)
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
	}

	public int weight(String queue) {
		return this.weights.getOrDefault(queue, 1);
	}

	public int room(String queue) {
		return this.rooms.getOrDefault(queue, Integer.MAX_VALUE);
	}

}
