package io.jobqueue.worker.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.worker.Handler.ChunkItem;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.attempt.AbandonedException;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptEnd;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
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

	private final LongSupplier nanoTime;

	/** Parts that are still to be called, the next one first. */
	private final Deque<List<Member>> parts = new ArrayDeque<>();

	ChunkRunner(HeldAttempts held, HandlerRuns handlers, FinishDecision decision, LongSupplier nanoTime) {
		this.held = held;
		this.handlers = handlers;
		this.decision = decision;
		this.nanoTime = nanoTime;
	}

	/**
	 * Runs attempts that have started.
	 * @param members the attempts
	 */
	void run(List<Member> members) {
		call(members, true);
		for (List<Member> part = next(); !part.isEmpty(); part = next()) {
			call(part, false);
		}
	}

	private List<Member> next() {
		while (!this.parts.isEmpty()) {
			List<Member> again = new ArrayList<>();
			long now = this.nanoTime.getAsLong();
			for (Member member : this.parts.pop()) {
				if (member.attempt().startAgain(now)) {
					again.add(member.again());
				}
				else {
					end(member, null);
				}
			}
			// What has interrupted the call before is over.
			Thread.interrupted();
			if (!again.isEmpty()) {
				return again;
			}
		}
		return List.of();
	}

	private void call(List<Member> part, boolean first) {
		List<Attempt> attempts = part.stream().map(Member::attempt).toList();
		Chunk chunk = new Chunk(attempts, first);
		attempts.forEach((attempt) -> attempt.enter(chunk));
		BoundTransactions before = BoundTransactions.now();
		try {
			HandlerRuns.ChunkEnd end = this.handlers.run(chunk, part.stream().map(Member::item).toList());
			AttemptRunner.cleanUp(attempts.get(0), before);
			ended(part, end);
		}
		catch (Throwable ex) {
			AttemptRunner.cleanUp(attempts.get(0), before);
			failed(part, ex);
		}
		if (chunk.isStuck()) {
			this.held.returnedAtLast();
			log.warn("The handler of {} {} jobs has returned after it was given up; its slot is free again",
					attempts.size(), attempts.get(0).job().type());
		}
	}

	private void ended(List<Member> part, HandlerRuns.ChunkEnd end) {
		if (!end.isAcked() && end.stale().isEmpty()) {
			if (part.size() > 1 && part.stream().anyMatch(Member::isTimedOut)) {
				// It may have cut its work short.
				split(part);
				return;
			}
			part.forEach((member) -> end(member, null));
			return;
		}
		List<Member> again = new ArrayList<>();
		for (Member member : part) {
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
		if (!again.isEmpty()) {
			this.parts.push(again);
		}
	}

	private void ended(Attempt attempt, Outcome outcome) {
		this.held.ended(List.of(new AttemptEnd(attempt, outcome, attempt.ran(this.nanoTime.getAsLong()))));
	}

	/**
	 * A lost database or session is nobody's fault, and another call would not help.
	 */
	private void failed(List<Member> part, Throwable cause) {
		boolean ofAll = FinishDecision.isOutage(cause) || part.stream().anyMatch(Member::isStopped);
		if (part.size() == 1 || ofAll) {
			part.forEach((member) -> end(member, cause));
			return;
		}
		log.debug("A chunk of {} {} jobs has failed, and is split", part.size(), part.get(0).attempt().job().type(),
				cause);
		split(part);
	}

	private void split(List<Member> part) {
		int half = (part.size() + 1) / 2;
		this.parts.push(part.subList(half, part.size()));
		this.parts.push(part.subList(0, half));
	}

	/**
	 * Ends an attempt by what is known of it.
	 * @param thrown why its call has failed; null if it has not
	 */
	private void end(Member member, @Nullable Throwable thrown) {
		Attempt attempt = member.attempt();
		try {
			InterruptReason interrupted = attempt.finish();
			Throwable failure = (thrown != null) ? thrown : member.item().failure();
			this.held.report((failure != null) ? this.decision.failed(attempt, failure, interrupted)
					: this.decision.returned(attempt, interrupted));
		}
		catch (AbandonedException ex) {
			log.debug("The result of {} job {} was taken from its handler", attempt.job().type(), attempt.claim().id());
		}
	}

	/**
	 * An attempt, and its job in the call.
	 */
	record Member(Attempt attempt, ChunkItem item) {

		/** What it was marked with belongs to the call that has failed. */
		Member again() {
			return new Member(this.attempt, new ChunkItem(this.item.payload(), this.item.context()));
		}

		boolean isTimedOut() {
			return this.attempt.reason() == InterruptReason.TIMEOUT;
		}

		boolean isStopped() {
			InterruptReason reason = this.attempt.reason();
			return reason == InterruptReason.SESSION_LOST || reason == InterruptReason.SHUTDOWN;
		}

	}

}
