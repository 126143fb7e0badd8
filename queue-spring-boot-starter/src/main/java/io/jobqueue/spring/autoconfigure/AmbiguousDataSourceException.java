package io.jobqueue.spring.autoconfigure;

/**
 * There are several DataSources and none is marked as the job queue's.
 */
class AmbiguousDataSourceException extends RuntimeException {

	AmbiguousDataSourceException(long count) {
		super("There are " + count + " DataSources, none of them is primary, and none is marked as the job queue's");
	}

}
