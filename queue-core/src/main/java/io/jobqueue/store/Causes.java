package io.jobqueue.store;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps causes few, where what exceptions say has a name or a text in it that differs
 * each time: after so many of one type and place, the others are one cause together.
 */
public final class Causes {

	static final int MESSAGES = 50;

	private static final int PLACES = 1_000;

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<Cause, Set<Long>> messages = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Cause, Set<Long>> eldest) {
			return size() > PLACES;
		}

	};

	/**
	 * Finds the cause of a failure.
	 * @param failure the failure, as it is stored
	 * @return its cause
	 */
	public Cause of(Failure failure) {
		Cause cause = Cause.of(failure);
		Cause any = cause.ofAnyMessage();
		this.lock.lock();
		try {
			Set<Long> known = this.messages.computeIfAbsent(any, (place) -> new HashSet<>());
			if (known.contains(cause.id())) {
				return cause;
			}
			return (known.size() < MESSAGES && known.add(cause.id())) ? cause : any;
		}
		finally {
			this.lock.unlock();
		}
	}

}
