package io.jobqueue.store;

/**
 * How long a transaction waits where another one keeps locked what it is to write. What
 * is there already can be passed over; a row that is new cannot, as in a range of the
 * archive that somebody has locked.
 */
public enum LockWaits {

	/**
	 * As long as the connection is set to: {@code innodb_lock_wait_timeout}, 50 s by
	 * default.
	 */
	USUAL,

	/**
	 * A second at most, where the database can be told so. Takes three round trips more.
	 */
	SHORT,

	/**
	 * A second at most, again and again for five seconds: for operators, who would rather
	 * wait than hear that somebody else was there.
	 */
	PATIENT

}
