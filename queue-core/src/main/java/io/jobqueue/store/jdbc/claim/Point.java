package io.jobqueue.store.jdbc.claim;

import java.time.LocalDateTime;

/**
 * A place in a range.
 *
 * @param availableAt the time since when the job there is due, in UTC
 * @param id its id
 */
record Point(LocalDateTime availableAt, long id) {

	/** Behind all jobs of a time. */
	static Point upTo(LocalDateTime time) {
		return new Point(time, Long.MAX_VALUE);
	}

	/** Whether it is behind all jobs of its time, whichever there are. */
	boolean isUpToTime() {
		return this.id == Long.MAX_VALUE;
	}

	/** Behind all that stands before this place. */
	Point justBefore() {
		return new Point(this.availableAt, this.id - 1);
	}

	boolean isBehind(Point other) {
		int byTime = this.availableAt.compareTo(other.availableAt);
		return byTime > 0 || (byTime == 0 && this.id > other.id);
	}

}
