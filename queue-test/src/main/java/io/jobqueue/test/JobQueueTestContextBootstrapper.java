package io.jobqueue.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Makes the contexts of {@link JobQueueTest}.
 */
class JobQueueTestContextBootstrapper extends TestSliceTestContextBootstrapper<JobQueueTest> {

}
