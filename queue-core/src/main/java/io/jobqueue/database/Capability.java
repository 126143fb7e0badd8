package io.jobqueue.database;

/**
 * What one database can and another cannot.
 */
public enum Capability {

	/**
	 * A locking read locks the rows that it returns and no others, and reads an index in
	 * its order. So SKIP LOCKED passes over nothing but what is locked.
	 */
	LOCK_ONLY_WHAT_IS_READ,

	/** An UPDATE changes its first rows in an order. */
	UPDATE_IN_ORDER,

	/**
	 * An INSERT of many rows returns the ids of all; elsewhere they follow the first in
	 * the steps of the server.
	 */
	RETURN_ALL_IDS,

	/**
	 * An upsert locks a row that was there, and never fails because another transaction
	 * inserted it first.
	 */
	LOCK_BY_UPSERT,

	/** An id that is given moves the counter of ids behind it. */
	MOVE_ID_COUNTER,

	/** The isolation level of the next transaction alone can be set. */
	SET_ISOLATION_ONCE,

	/** Names that differ in blanks at their ends are the same (PAD SPACE). */
	IGNORE_TRAILING_BLANKS,

	/** The driver gives up a server that does not answer. */
	NETWORK_TIMEOUT,

	/**
	 * The time of one statement can be limited, and not that of all on its connection.
	 */
	LIMIT_STATEMENT_TIME,

	/**
	 * A connection has a number by which others can close it, and the server closes it
	 * when it is idle for too long.
	 */
	CLOSE_CONNECTIONS,

	/** One UPDATE or DELETE reads several tables, and changes rows of one or of all. */
	CHANGE_BY_JOIN,

	/** The server has statistics of its tables' sizes. */
	TABLE_STATISTICS,

	/**
	 * It shows what it knew of them up to a day ago, unless a session wants otherwise.
	 */
	TABLE_STATISTICS_EXPIRE,

	/** How long a session waits for locks can be set. */
	SET_LOCK_WAIT,

	/** The server has an autocommit mode of its own, of which the driver may not know. */
	AUTOCOMMIT_OF_SERVER

}
