package io.jobqueue.worker.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.attempt.AbandonedException;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.session.WorkerSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the attempts of a chunk whose payloads are read. Where the call fails, nobody
 * knows whose fault that is: each half is called again, until the attempt stands alone
 * with which it fails. So one poison among 500 jobs takes about 18 calls.
 */
final class ChunkRunner {

	private static final Logger log = LoggerFactory.getLogger(ChunkRunner.class);

	private final HeldAttempts held;

	private final HandlerRuns handlers;

	private final FinishDecision decision;

	private final WorkerSession session;

	private final LongSupplier nanoTime;

	/** Parts that are still to be called, the next one first. */
	private final Deque<List<ChunkMember>> parts = new ArrayDeque<>();

	/** Whether some were given up in the last call. */
	private boolean abandoned;

	ChunkRunner(HeldAttempts held, HandlerRuns handlers, FinishDecision decision, WorkerSession session,
			LongSupplier nanoTime) {
		this.session = session;
		this.held = held;
		this.handlers = handlers;
		this.decision = decision;
		this.nanoTime = nanoTime;
	}

	/**
	 * Runs attempts that have started in their chunk.
	 * @param members the attempts
	 */
	void run(List<ChunkMember> members) {
		this.parts.push(members);
		for (boolean first = true; !this.parts.isEmpty(); first = false) {
			List<ChunkMember> part = resumed(this.parts.pop(), first);
			if (!part.isEmpty()) {
				call(part);
			}
		}
	}

	/**
	 * Those that are still to run. The others are released, if nobody has ended them.
	 */
	private List<ChunkMember> resumed(List<ChunkMember> wanted, boolean first) {
		if (!this.session.isCurrent()) {
			wanted.forEach((member) -> this.held.letGo(member.attempt(), InterruptReason.SESSION_LOST));
			this.held.requestComparison();
			return List.of();
		}
		// What has interrupted the last call is over.
		Thread.interrupted();
		long now = this.nanoTime.getAsLong();
		Chunk chunk = new Chunk(attempts(wanted), first);
		List<ChunkMember> part = new ArrayList<>();
		for (ChunkMember member : wanted) {
			if (member.attempt().resume(chunk, now)) {
				part.add(first ? member : member.again());
			}
			else {
				this.held.releaseParked(member.attempt());
			}
		}
		if (part.size() < wanted.size() && !part.isEmpty()) {
			Chunk rest = new Chunk(attempts(part), first);
			part.forEach((member) -> member.attempt().enter(rest));
		}
		return part;
	}

	private static List<Attempt> attempts(List<ChunkMember> members) {
		return members.stream().map(ChunkMember::attempt).toList();
	}

	private void call(List<ChunkMember> part) {
		Chunk chunk = part.get(0).attempt().chunk();
		try {
			ended(part, ChunkCall.run(this.handlers, chunk, part));
		}
		catch (Throwable ex) {
			failed(part, ex);
		}
		if (this.abandoned) {
			this.abandoned = false;
			// Whoever has given them up counts the slot as lost at this moment.
			while (!chunk.isStuck()) {
				Thread.onSpinWait();
			}
			this.held.returnedAtLast();
			log.warn("The handler of {} {} jobs has returned after it was given up; its slot is free again",
					part.size(), part.get(0).attempt().job().type());
		}
	}

	private void ended(List<ChunkMember> part, HandlerRuns.ChunkEnd end) {
		if (end.isUndecided()) {
			if (part.size() > 1 && part.stream().anyMatch(ChunkMember::isTimedOut)) {
				// It may have cut its work short.
				split(part);
				return;
			}
			part.forEach((member) -> end(member, null));
			return;
		}
		List<ChunkMember> again = new ArrayList<>();
		for (ChunkMember member : part) {
			if (end.stale().contains(member.attempt().claim())) {
				log.warn(
						"Result of {} job {} (attempt {}) rolled back, with those of its chunk, which run again: its "
								+ "claim was no longer current",
						member.attempt().job().type(), member.attempt().claim().id(), member.attempt().job().attempt());
				ended(member.attempt(), Outcome.STALE);
			}
			else if (!end.isAcked()) {
				again.add(member);
			}
			else if (member.item().failure() != null) {
				end(member, null);
			}
			else {
				ended(member.attempt(), Outcome.SUCCEEDED);
			}
		}
		push(again);
	}

	private void ended(Attempt attempt, Outcome outcome) {
		this.held.ended(List.of(new AttemptEnd(attempt, outcome, attempt.ran(this.nanoTime.getAsLong()))));
	}

	/**
	 * The loss of the queue's own database, or of the session, is nobody's fault, and
	 * another call would not help. What another store fails with looks the same, and may
	 * be the fault of one job that needs that store.
	 */
	private void failed(List<ChunkMember> part, Throwable cause) {
		boolean ofAll = part.stream().anyMatch(ChunkMember::isStopped)
				|| this.decision.isOfDatabase(cause, part.get(0).attempt());
		if (part.size() == 1 || ofAll) {
			part.forEach((member) -> end(member, cause));
			return;
		}
		log.debug("A chunk of {} {} jobs has failed, and is split", part.size(), part.get(0).attempt().job().type(),
				cause);
		split(part);
	}

	private void split(List<ChunkMember> part) {
		int half = (part.size() + 1) / 2;
		push(part.subList(half, part.size()));
		push(part.subList(0, half));
	}

	/**
	 * Lets attempts wait for another call. The deadlines of their claims may be over by
	 * then; others leave them alone as long as this worker lives.
	 */
	private void push(List<ChunkMember> members) {
		List<ChunkMember> parked = new ArrayList<>();
		for (ChunkMember member : members) {
			if (member.attempt().park()) {
				parked.add(member);
			}
			else {
				this.abandoned = true;
			}
		}
		if (parked.isEmpty()) {
			return;
		}
		try {
			this.handlers.dropDeadlines(parked.stream().map((member) -> member.attempt().claim()).toList());
			this.parts.push(parked);
		}
		catch (RuntimeException ex) {
			log.debug("Jobs of a chunk are released, since the database does not answer", ex);
			parked.forEach((member) -> this.held.releaseParked(member.attempt()));
		}
	}

	/**
	 * Ends an attempt by what is known of it.
	 * @param thrown why its call has failed; null if it has not
	 */
	private void end(ChunkMember member, @Nullable Throwable thrown) {
		Attempt attempt = member.attempt();
		try {
			InterruptReason interrupted = attempt.finish();
			Throwable failure = (thrown != null) ? thrown : member.item().failure();
			this.held.report((failure != null) ? this.decision.failed(attempt, failure, interrupted)
					: this.decision.returned(attempt, interrupted));
		}
		catch (AbandonedException ex) {
			this.abandoned = true;
			log.debug("The result of {} job {} was taken from its handler", attempt.job().type(), attempt.claim().id());
		}
	}

}
