package io.jobqueue.database;

import java.util.Arrays;
import java.util.Optional;

import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;

/**
 * The numbers that stand for states in the tables. Ready jobs that are under suspicion
 * have states of their own, by its degree, so that they stand in ranges of their own.
 */
public final class StateCode {

	public static final int READY = 0;

	public static final int RUNNING = 1;

	public static final int FIRST_SUSPECT = 2;

	public static final int STRONG_SUSPECT = 7;

	public static final int LIMITED_SUSPECT = 8;

	/** Waits for an earlier job of its order key. */
	public static final int WAITING = 9;

	/** Waits for a place of its limit's key. */
	public static final int LIMITED = 10;

	/** All states of a ready job, for a list in SQL. */
	static final String ALL_READY = "0, 2, 7, 8";

	/** All states of a live job that does not run, for a list in SQL. */
	static final String NOT_RUNNING = ALL_READY + ", " + WAITING + ", " + LIMITED;

	/** The states of a suspect that is ready, for a list in SQL. */
	static final String SUSPECT = "2, 7, 8";

	private StateCode() {
	}

	public static int of(JobState state) {
		return switch (state) {
			case READY -> READY;
			case WAITING -> WAITING;
			case RUNNING -> RUNNING;
			case SUCCEEDED -> 3;
			case DEAD -> 4;
			case CANCELLED -> 5;
			case EXPIRED -> 6;
		};
	}

	/**
	 * What the mode of a queue is.
	 * @param code the number in the table
	 * @return empty for one that a later version may know
	 */
	public static Optional<QueueMode> mode(int code) {
		return Arrays.stream(QueueMode.values()).filter((mode) -> mode.ordinal() == code).findAny();
	}

	public static int ready(Degree degree) {
		return switch (degree) {
			case NONE -> READY;
			case FIRST -> FIRST_SUSPECT;
			case STRONG -> STRONG_SUSPECT;
			case LIMITED -> LIMITED_SUSPECT;
		};
	}

	/**
	 * The state of a job that becomes ready, in SQL.
	 * @param crashes its crashes: a column or an expression
	 * @param outages its outages
	 * @see Suspicion#degreeOf
	 */
	public static String ready(String crashes, String outages) {
		return "CASE WHEN " + crashes + " >= " + Suspicion.STRONG_CRASHES + " THEN " + STRONG_SUSPECT + " WHEN "
				+ outages + " >= " + Suspicion.LIMITED_OUTAGES + " THEN " + LIMITED_SUSPECT + " WHEN " + crashes
				+ " = 0 AND " + outages + " = 0 THEN " + READY + " ELSE " + FIRST_SUSPECT + " END";
	}

	public static Degree degree(int ready) {
		return switch (ready) {
			case FIRST_SUSPECT -> Degree.FIRST;
			case STRONG_SUSPECT -> Degree.STRONG;
			case LIMITED_SUSPECT -> Degree.LIMITED;
			default -> Degree.NONE;
		};
	}

	public static JobState toState(int code) {
		return switch (code) {
			case READY, FIRST_SUSPECT, STRONG_SUSPECT, LIMITED_SUSPECT -> JobState.READY;
			case WAITING, LIMITED -> JobState.WAITING;
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
