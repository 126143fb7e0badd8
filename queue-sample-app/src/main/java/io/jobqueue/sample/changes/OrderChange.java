package io.jobqueue.sample.changes;

/**
 * A change of an order, and the payload of the job that tells of it.
 *
 * @param orderId the order
 * @param number the first change of an order is 1
 * @param text what has changed
 */
record OrderChange(long orderId, long number, String text) {

	private static final int LONGEST = 200;

	/**
	 * Checks a change.
	 * @throws IllegalArgumentException if it is not one; the message says why
	 */
	OrderChange {
		if (text == null || text.isBlank() || text.length() > LONGEST) {
			throw new IllegalArgumentException("text must say in up to " + LONGEST + " characters what has changed");
		}
	}

}
