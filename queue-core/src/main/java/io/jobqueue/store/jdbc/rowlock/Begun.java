package io.jobqueue.store.jdbc.rowlock;

import java.time.Duration;

import io.jobqueue.store.Claim;

/**
 * A job that was begun, as its start record says.
 *
 * @param claim the claim that it would have
 * @param connection the server's number of the connection that locks its row
 * @param server whose number that is
 * @param freed whether its row was found unlocked
 * @param leftRunning whether its worker has stopped in order
 * @param orphaned whether its session has ended
 * @param heldFor how long ago it began
 * @param allowed after how long its connection is closed
 */
record Begun(Claim claim, long connection, String server, boolean freed, boolean leftRunning, boolean orphaned,
		Duration heldFor, Duration allowed) {

	boolean isOpen(Claim claim) {
		return !this.freed && this.claim.equals(claim);
	}

	String why() {
		if (this.leftRunning) {
			return "its worker has stopped";
		}
		return this.orphaned ? "worker session " + this.claim.session() + " has ended"
				: "the job is over, or has run past its deadline";
	}

}
