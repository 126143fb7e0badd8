package io.jobqueue.test;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What happens to commits on the wire.
 *
 * @param kind what happens
 * @param moment which commits are meant
 * @param commits how many of them, the next ones
 * @param late how much later a commit is delivered; for {@link Kind#LATE}
 */
public record CommitFault(Kind kind, Moment moment, int commits, Duration late) {

	public static CommitFault of(Kind kind, Moment moment, int commits) {
		return new CommitFault(kind, moment, commits, Duration.ZERO);
	}

	public CommitFault late(Duration late) {
		return new CommitFault(this.kind, this.moment, this.commits, late);
	}

	/**
	 * What happens to a commit.
	 */
	public enum Kind {

		/** The connection is cut before the commit has reached the server. */
		CUT_BEFORE,

		/** The server commits, and the connection is cut before its answer arrives. */
		CUT_AFTER,

		/** The client's connection is cut, and the commit delivered long after. */
		LATE,

		/** The commit waits until it is let pass, and the client for its answer. */
		HELD

	}

	/**
	 * What a transaction does, as its statements show it.
	 */
	public enum Moment {

		/** Jobs are enqueued. */
		ENQUEUE("INSERT INTO jobqueue_job ", null),

		/** Jobs are claimed. */
		CLAIM("SET state = 1, fence = fence + 1", null),

		/** Jobs of row-lock queues are begun. */
		BEGIN("INSERT INTO jobqueue_start", null),

		/** The results of handlers are committed. */
		ACK("INSERT INTO jobqueue_archive", "INSERT INTO ledger"),

		/** A transactional handler's effects and its ack are committed. */
		TRANSACTIONAL("INSERT INTO ledger", null);

		private final String has;

		private final @Nullable String hasNot;

		Moment(String has, @Nullable String hasNot) {
			this.has = has;
			this.hasNot = hasNot;
		}

		boolean is(List<String> statements) {
			return contain(statements, this.has) && (this.hasNot == null || !contain(statements, this.hasNot));
		}

		private static boolean contain(List<String> statements, String part) {
			return statements.stream().anyMatch((statement) -> statement.contains(part));
		}

	}

}
