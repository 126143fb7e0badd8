package io.jobqueue.spring.schema;

/**
 * What happens to the queue's tables when the application starts.
 */
public enum SchemaMode {

	/** They are created and migrated, with a history table of their own. */
	MIGRATE,

	/** They are checked, and the application does not start if something is missing. */
	VALIDATE,

	/** Nothing. */
	NONE

}
