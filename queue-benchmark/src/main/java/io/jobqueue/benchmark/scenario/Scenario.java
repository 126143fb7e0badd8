package io.jobqueue.benchmark.scenario;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;

/**
 * A situation in which systems are measured.
 */
public interface Scenario {

	/**
	 * How many jobs it takes unless the command line says otherwise.
	 * @return the number
	 */
	int jobs();

	/**
	 * What comes before the measurement.
	 * @param trial the system, with empty tables
	 * @throws Exception if it fails
	 */
	default void prepare(Trial trial) throws Exception {
	}

	/**
	 * Measures.
	 * @param trial the system
	 * @return what came of it
	 * @throws Exception if it fails
	 */
	Measurement run(Trial trial) throws Exception;

}
