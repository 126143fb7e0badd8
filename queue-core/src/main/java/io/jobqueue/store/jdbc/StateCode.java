package io.jobqueue.store.jdbc;

import io.jobqueue.JobState;
import io.jobqueue.poison.Suspicion.Degree;

/**
 * The numbers that stand for states in the tables. Ready jobs that are under suspicion
 * have states of their own, by its degree, so that they stand in ranges of their own.
 */
final class StateCode {

	static final int READY = 0;

	static final int RUNNING = 1;

	static final int FIRST_SUSPECT = 2;

	static final int STRONG_SUSPECT = 7;

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

	static int ready(Degree degree) {
		return switch (degree) {
			case NONE -> READY;
			case FIRST -> FIRST_SUSPECT;
			case STRONG -> STRONG_SUSPECT;
		};
	}

	static Degree degree(int ready) {
		return switch (ready) {
			case FIRST_SUSPECT -> Degree.FIRST;
			case STRONG_SUSPECT -> Degree.STRONG;
			default -> Degree.NONE;
		};
	}

	static JobState toState(int code) {
		return switch (code) {
			case READY, FIRST_SUSPECT, STRONG_SUSPECT -> JobState.READY;
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
