package io.jobqueue.benchmark.scenario;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.system.QueueSystem;

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
	 * @param system the system, with empty tables
	 * @param jobs how many jobs
	 * @throws Exception if it fails
	 */
	default void prepare(QueueSystem system, int jobs) throws Exception {
	}

	/**
	 * Measures.
	 * @param system the system
	 * @param jobs how many jobs
	 * @return what came of it
	 * @throws Exception if it fails
	 */
	Measurement run(QueueSystem system, int jobs) throws Exception;

}
