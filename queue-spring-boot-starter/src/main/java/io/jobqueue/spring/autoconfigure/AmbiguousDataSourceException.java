package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.CannotStartException;

/**
 * There are several DataSources and none is marked as the job queue's.
 */
class AmbiguousDataSourceException extends CannotStartException {

	AmbiguousDataSourceException(long count) {
		super("There are " + count + " DataSources, none of them is primary, and none is marked as the job queue's",
				"Mark one of the DataSource beans with @JobQueueDataSource or @Primary.");
	}

}
