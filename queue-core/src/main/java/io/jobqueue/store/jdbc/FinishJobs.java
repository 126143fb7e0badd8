package io.jobqueue.store.jdbc;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;

/**
 * Ends claims of all kinds in one transaction: first the fences, then each transition for
 * those still current; a long list in chunks, by id.
 */
final class FinishJobs {

	private final LockClaims locks;

	private final AckJobs acks;

	private final RetryJobs retries;

	private final DeadLetterJobs deadLetters;

	private final ReleaseJobs releases;

	private final RescueJobs rescues;

	private final OutageJobs outages;

	FinishJobs(LockClaims locks, AckJobs acks, RetryJobs retries, DeadLetterJobs deadLetters, ReleaseJobs releases,
			RescueJobs rescues, OutageJobs outages) {
		this.locks = locks;
		this.acks = acks;
		this.retries = retries;
		this.deadLetters = deadLetters;
		this.releases = releases;
		this.rescues = rescues;
		this.outages = outages;
	}

	Set<Claim> finish(Collection<? extends Finish> finishes, boolean skipLocked) {
		List<? extends Finish> sorted = finishes.stream()
			.sorted(Comparator.comparingLong((finish) -> finish.claim().id()))
			.toList();
		Set<Claim> stale = new HashSet<>();
		Chunks.of(sorted).forEach((chunk) -> stale.addAll(finishChunk(chunk, skipLocked)));
		return stale;
	}

	private Set<Claim> finishChunk(List<? extends Finish> finishes, boolean skipLocked) {
		List<Claim> claims = finishes.stream().map(Finish::claim).toList();
		LockClaims.Locked locked = skipLocked ? this.locks.currentAndUnlocked(claims) : this.locks.current(claims);
		Set<Claim> stale = new HashSet<>(claims);
		stale.removeAll(locked.current());
		List<? extends Finish> valid = finishes.stream()
			.filter((finish) -> locked.current().contains(finish.claim()))
			.toList();
		this.acks.ack(only(Finish.Ack.class, valid).stream().map(Finish::claim).toList(), locked.large());
		this.retries.retry(only(Finish.Retry.class, valid));
		this.deadLetters.deadLetter(only(Finish.DeadLetter.class, valid));
		this.releases.release(only(Finish.Release.class, valid));
		this.rescues.rescue(only(Finish.Rescue.class, valid));
		this.outages.giveBack(only(Finish.Outage.class, valid));
		return stale;
	}

	private static <T extends Finish> List<T> only(Class<T> type, List<? extends Finish> finishes) {
		return finishes.stream().filter(type::isInstance).map(type::cast).toList();
	}

}
