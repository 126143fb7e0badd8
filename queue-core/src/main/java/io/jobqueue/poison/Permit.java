package io.jobqueue.poison;

/**
 * What the rest of the cluster leaves for a claim of suspects.
 *
 * @param limited how many limited jobs may start
 * @param solo whether a job may run solo, because no suspect runs on any node
 */
public record Permit(int limited, boolean solo) {

	/** For claims of jobs that are not limited. */
	public static final Permit NONE = new Permit(0, false);

}
