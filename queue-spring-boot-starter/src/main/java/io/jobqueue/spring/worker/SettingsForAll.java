package io.jobqueue.spring.worker;

import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.maintenance.QueueModes;

/**
 * What the settings of one node say for all nodes. A start that is refused must not
 * change how others run their jobs.
 *
 * @param modes the modes of queues
 * @param limits the limits
 */
public record SettingsForAll(QueueModes modes, DeclareLimits limits) {

	/**
	 * Writes it down. Limits are there then before the first job is claimed.
	 */
	public void set() {
		this.modes.set();
		this.limits.runOnce();
	}

}
