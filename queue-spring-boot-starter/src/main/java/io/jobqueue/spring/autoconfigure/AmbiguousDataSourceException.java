package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.CannotStartException;

/**
 * There are several DataSources, and which is the job queue's cannot be told.
 */
class AmbiguousDataSourceException extends CannotStartException {

	private AmbiguousDataSourceException(String description, String action) {
		super(description, action);
	}

	static AmbiguousDataSourceException unmarked(long count) {
		return new AmbiguousDataSourceException(
				"There are " + count + " DataSources, none of them is primary, and none is marked as the job queue's",
				"Mark one of the DataSource beans with @JobQueueDataSource or @Primary.");
	}

	static AmbiguousDataSourceException marked(long count) {
		return new AmbiguousDataSourceException(count + " DataSources are marked as the job queue's",
				"Leave @JobQueueDataSource on one of the DataSource beans only.");
	}

}
