package io.jobqueue.dashboard;

import io.jobqueue.Job;

/**
 * Leaves out of payloads what nobody is to read. A bean of the application's; without
 * one, payloads are shown as they are stored to those who may see payloads at all.
 */
@FunctionalInterface
public interface PayloadMasker {

	/**
	 * Masks the payload of a job before it is shown.
	 * @param job the job, whose payload is not null
	 * @return what is shown in its place
	 */
	String mask(Job job);

}
