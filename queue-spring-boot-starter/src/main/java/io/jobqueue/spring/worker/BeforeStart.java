package io.jobqueue.spring.worker;

import io.jobqueue.spring.schema.ClaimCheck;

/**
 * What comes before a worker's start.
 */
public final class BeforeStart implements Runnable {

	private final WorkerCheck check;

	private final ClaimCheck claimCheck;

	private final SettingsForAll settings;

	/**
	 * Creates it; nothing is done yet.
	 * @param check whether the worker can work as it is set
	 * @param claimCheck whether jobs can be claimed as it is set
	 * @param settings what this node says for all nodes
	 */
	public BeforeStart(WorkerCheck check, ClaimCheck claimCheck, SettingsForAll settings) {
		this.check = check;
		this.claimCheck = claimCheck;
		this.settings = settings;
	}

	@Override
	public void run() {
		this.check.run();
		this.claimCheck.run();
		// A start that is refused must not change how other nodes run their jobs.
		this.settings.set();
	}

}
