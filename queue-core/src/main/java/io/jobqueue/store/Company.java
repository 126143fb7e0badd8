package io.jobqueue.store;

/**
 * In what company a job runs that is under suspicion of having crashed its worker. The
 * more often it was there when a worker died, the fewer jobs share the worker with it; at
 * last it is alone. Only a job that is alone can be convicted.
 */
public final class Company {

	/** Any number of jobs. */
	public static final int ANY = 0;

	/**
	 * How often a worker has to die with a job, the last time with nothing else on it,
	 * before the job is dead.
	 */
	public static final int FATAL_CRASHES = 4;

	private static final int[] LIMITS = { ANY, 16, 4, 1 };

	private Company() {
	}

	/**
	 * How many jobs the worker may hold while it holds this one, itself included.
	 * @param crashes how often a worker died while it held the job
	 * @return the limit, or {@link #ANY}
	 */
	public static int limit(int crashes) {
		return LIMITS[Math.max(0, Math.min(crashes, LIMITS.length - 1))];
	}

	/**
	 * Whether a job is to blame for the crash of the worker that held it.
	 * @param company the limit under which it was claimed
	 * @param crashes how often a worker has died while it held the job, this time
	 * included
	 * @return true if it was alone, and has done it before
	 */
	public static boolean convicts(int company, int crashes) {
		return company == 1 && crashes >= FATAL_CRASHES;
	}

}
