package io.jobqueue.poison;

/**
 * How far a job is under suspicion of killing its worker, or the database. The more often
 * it was there when a worker died, the fewer jobs share its worker; at last it is alone
 * there. The more often it ran when the database was lost, the fewer of its kind run in
 * the whole cluster; at last it runs solo: while no other suspect runs on any node. Only
 * a job that was alone, or ran solo, can be convicted.
 *
 * @param degree how strong the suspicion was when the job was made ready
 * @param crashes how often a worker died while it held the job
 * @param outages how often the database was lost while the job ran, and it failed by that
 */
public record Suspicion(Degree degree, int crashes, int outages) {

	/** Of a job that nothing is known against. */
	public static final Suspicion NONE = new Suspicion(Degree.NONE, 0, 0);

	/** The limit of a job that may share its worker with any number of others. */
	public static final int NO_LIMIT = 0;

	/**
	 * How often a worker has to die with a job, the last time with nothing else on it,
	 * before the job is dead.
	 */
	public static final int FATAL_CRASHES = 4;

	/** From which crash on the suspicion is strong. */
	public static final int STRONG_CRASHES = 2;

	/** From which outage on jobs are limited. A failover and back costs a job two. */
	public static final int LIMITED_OUTAGES = 3;

	/** How many limited jobs run at once in the cluster. */
	public static final int LIMIT = 16;

	/** From which outage on a job runs solo. */
	public static final int SOLO_OUTAGES = 4;

	/** Two more, so that the database has been lost twice in solo runs. */
	private static final int FATAL_OUTAGES = SOLO_OUTAGES + 2;

	private static final int FIRST_LIMIT = 16;

	private static final int SECOND_LIMIT = 4;

	/**
	 * How strong the suspicion is that follows from crashes and outages.
	 * @param crashes how often a worker died while it held the job
	 * @param outages how often the database was lost while it ran
	 * @return the degree
	 */
	public static Degree degreeOf(int crashes, int outages) {
		if (crashes >= STRONG_CRASHES) {
			return Degree.STRONG;
		}
		if (outages >= LIMITED_OUTAGES) {
			return Degree.LIMITED;
		}
		return (crashes > 0 || outages > 0) ? Degree.FIRST : Degree.NONE;
	}

	/**
	 * How many jobs a worker may hold while it holds one under first suspicion. It has to
	 * fit into its column.
	 * @param slots how many attempts the worker runs at once
	 * @return the number
	 */
	public static int firstHeldLimit(int slots) {
		return Math.min(Math.max(FIRST_LIMIT, slots), Short.MAX_VALUE);
	}

	/**
	 * How many jobs a worker may hold while it holds this one, itself included.
	 * @param slots how many attempts the worker runs at once
	 * @return the number, or {@link #NO_LIMIT}
	 */
	public int heldLimit(int slots) {
		if (this.degree == Degree.NONE) {
			return NO_LIMIT;
		}
		if (this.crashes < STRONG_CRASHES) {
			return firstHeldLimit(slots);
		}
		return (this.crashes == STRONG_CRASHES) ? SECOND_LIMIT : 1;
	}

	/**
	 * Whether there is any suspicion.
	 * @return false if nothing is known against the job
	 */
	public boolean isSuspect() {
		return this.degree != Degree.NONE;
	}

	/**
	 * Whether few such jobs run at once in the cluster.
	 * @return true if the database was lost often
	 */
	public boolean isLimited() {
		return countsOutages() && this.outages >= LIMITED_OUTAGES;
	}

	/**
	 * Whether the job runs only while no other suspect runs on any node.
	 * @return true if the database was lost too often
	 */
	public boolean isSolo() {
		return countsOutages() && this.outages >= SOLO_OUTAGES;
	}

	/**
	 * Only these are claimed under an exclusive lock. A job that another program has put
	 * among the first suspects, with many outages, runs as one of those.
	 */
	private boolean countsOutages() {
		return this.degree == Degree.STRONG || this.degree == Degree.LIMITED;
	}

	/**
	 * Whether a job is to blame for the death of the worker that held it.
	 * @param heldLimit how many jobs its worker could hold while it held this one
	 * @param crashes how often a worker has died while it held the job, this time
	 * included
	 * @return true if it was alone, and had done it before
	 */
	public static boolean convictsOfCrash(int heldLimit, int crashes) {
		return heldLimit == 1 && crashes >= FATAL_CRASHES;
	}

	/**
	 * Whether a job is to blame for one more loss of the database.
	 * @return true if it ran solo, and had done so before
	 */
	public boolean convictsOfNextOutage() {
		return isSolo() && this.outages + 1 >= FATAL_OUTAGES;
	}

	/**
	 * How strong a suspicion is. Each degree has ready ranges of its own.
	 */
	public enum Degree {

		/** There is none. */
		NONE,

		/** The job runs among others, who are not many. */
		FIRST,

		/** The job runs on a worker that holds nothing else, or hardly anything. */
		STRONG,

		/** Few such jobs run at once in the cluster, or just one. */
		LIMITED

	}

}
