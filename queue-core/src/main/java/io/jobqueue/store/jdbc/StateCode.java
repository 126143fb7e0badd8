package io.jobqueue.store.jdbc;

import io.jobqueue.JobState;

/**
 * The numbers that stand for states in the tables. {@link #SUSPECT} is a ready job whose
 * worker died while it held it; such jobs form lines of their own, so that they never
 * keep company with those of good standing.
 */
final class StateCode {

	static final int READY = 0;

	static final int RUNNING = 1;

	static final int SUSPECT = 2;

	private StateCode() {
	}

	static int of(JobState state) {
		return switch (state) {
			case READY -> READY;
			case RUNNING -> RUNNING;
			case SUCCEEDED -> 3;
			case DEAD -> 4;
			case CANCELLED -> 5;
			case EXPIRED -> 6;
		};
	}

	static JobState toState(int code) {
		return switch (code) {
			case READY, SUSPECT -> JobState.READY;
			case RUNNING -> JobState.RUNNING;
			case 3 -> JobState.SUCCEEDED;
			case 4 -> JobState.DEAD;
			case 5 -> JobState.CANCELLED;
			case 6 -> JobState.EXPIRED;
			// Put there by another program; maintenance makes such a job dead.
			default -> JobState.DEAD;
		};
	}

}
