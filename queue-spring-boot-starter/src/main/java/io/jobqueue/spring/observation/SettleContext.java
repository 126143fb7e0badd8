package io.jobqueue.spring.observation;

import io.micrometer.observation.Observation;

/**
 * A commit of results: jobs are finished, or tried again later. Results of transactional
 * handlers are committed with their effects, in the observation of the handler.
 */
public final class SettleContext extends Observation.Context {

	private final int results;

	SettleContext(int results) {
		this.results = results;
	}

	/**
	 * How many results are committed together.
	 * @return at least 1
	 */
	public int results() {
		return this.results;
	}

}
