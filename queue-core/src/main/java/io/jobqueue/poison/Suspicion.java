package io.jobqueue.poison;

/**
 * How far a job is under suspicion of killing its worker, or the database. The more often
 * it was there when one of them died, the fewer jobs share its worker; at last it is
 * alone. Only a job that was alone can be convicted.
 *
 * @param crashes how often a worker died while it held the job
 * @param outages how often the database was lost while the job ran, and it failed by that
 */
public record Suspicion(int crashes, int outages) {

	/** Of a job that nothing is known against. */
	public static final Suspicion NONE = new Suspicion(0, 0);

	/** The company of a job that may share its worker with any number of others. */
	public static final int ANY_COMPANY = 0;

	/**
	 * The company of a job that is alone on its worker, while no other suspect runs on
	 * any node.
	 */
	public static final int SOLO = -1;

	/**
	 * How often a worker has to die with a job, the last time with nothing else on it,
	 * before the job is dead.
	 */
	public static final int FATAL_CRASHES = 4;

	private static final int SOLO_OUTAGES = 3;

	/** Two more, so that the database has been lost twice in solo runs. */
	private static final int FATAL_OUTAGES = SOLO_OUTAGES + 2;

	private static final int FIRST_COMPANY = 16;

	private static final int SECOND_COMPANY = 4;

	/**
	 * How strong the suspicion is.
	 * @return the degree
	 */
	public Degree degree() {
		if (this.crashes <= 0 && this.outages <= 0) {
			return Degree.NONE;
		}
		return (this.crashes <= 1 && this.outages < SOLO_OUTAGES) ? Degree.FIRST : Degree.STRONG;
	}

	/**
	 * How many jobs a worker may hold while it holds this one, itself included.
	 * @param slots how many attempts the worker runs at once
	 * @return the number, or {@link #ANY_COMPANY}, or {@link #SOLO}
	 */
	public int company(int slots) {
		if (this.outages >= SOLO_OUTAGES) {
			return SOLO;
		}
		return switch (degree()) {
			case NONE -> ANY_COMPANY;
			case FIRST -> Math.max(FIRST_COMPANY, slots);
			case STRONG -> (this.crashes == 2) ? SECOND_COMPANY : 1;
		};
	}

	/**
	 * Whether the job may be claimed in a solo run only.
	 * @return true if the database was lost too often
	 */
	public boolean isSolo() {
		return this.outages >= SOLO_OUTAGES;
	}

	/**
	 * Whether a job is to blame for the death of the worker that held it.
	 * @param company the company that it was claimed in
	 * @param crashes how often a worker has died while it held the job, this time
	 * included
	 * @return true if it was alone, and had done it before
	 */
	public static boolean convictsOfCrash(int company, int crashes) {
		return (company == 1 || company == SOLO) && crashes >= FATAL_CRASHES;
	}

	/**
	 * Whether a job is to blame for one more loss of the database.
	 * @return true if it ran solo, and had done so before
	 */
	public boolean convictsOfNextOutage() {
		return isSolo() && this.outages + 1 >= FATAL_OUTAGES;
	}

	/**
	 * How strong a suspicion is.
	 */
	public enum Degree {

		/** There is none. */
		NONE,

		/** The job runs among others, who are not many. */
		FIRST,

		/** The job runs on a worker that holds nothing else, or hardly anything. */
		STRONG

	}

}
