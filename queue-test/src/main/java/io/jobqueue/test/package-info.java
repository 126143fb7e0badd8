/**
 * What tests of an application run jobs with. Begin with
 * {@link io.jobqueue.test.JobQueueTest} and {@link io.jobqueue.test.JobQueueTester}.
 */
@NullMarked
package io.jobqueue.test;

import org.jspecify.annotations.NullMarked;
