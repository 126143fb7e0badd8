package io.jobqueue.store.jdbc.claim;

import java.time.LocalDateTime;

import org.jspecify.annotations.Nullable;

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

	/** This one, or the other if that is behind it. */
	Point orBehind(@Nullable Point other) {
		return (other != null && other.isBehind(this)) ? other : this;
	}

	boolean isBehind(Point other) {
		int byTime = this.availableAt.compareTo(other.availableAt);
		return byTime > 0 || (byTime == 0 && this.id > other.id);
	}

}
