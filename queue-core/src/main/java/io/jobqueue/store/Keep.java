package io.jobqueue.store;

import java.time.Duration;

/**
 * How long archived jobs of a state are kept.
 *
 * @param age until they finished so long ago
 * @param rows or until so many finished later; {@link #ANY_NUMBER} for any number
 * @param stored whether they are stored elsewhere before they are deleted
 */
public record Keep(Duration age, long rows, boolean stored) {

	public static final long ANY_NUMBER = 0;

	/**
	 * For a time, however many there are.
	 */
	public static Keep of(Duration age) {
		return new Keep(age, ANY_NUMBER, false);
	}

	/**
	 * The same, but stored elsewhere if the other is. Not all nodes of an application may
	 * have a sink yet, or any more; none of them must delete what another is to store.
	 */
	public Keep storedIf(Keep other) {
		return new Keep(this.age, this.rows, this.stored || other.stored);
	}

	/**
	 * What suits both.
	 */
	public Keep and(Keep other) {
		boolean anyNumber = this.rows == ANY_NUMBER || other.rows == ANY_NUMBER;
		return new Keep((this.age.compareTo(other.age) >= 0) ? this.age : other.age,
				anyNumber ? ANY_NUMBER : Math.max(this.rows, other.rows), this.stored || other.stored);
	}

}
