package io.jobqueue.store.jdbc;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;

/**
 * Ends claims of all kinds in one transaction: first the fences, then each transition for
 * those still current; a long list in chunks, by id.
 */
final class FinishJobs {

	private final LockClaims locks;

	private final List<Ending<?>> endings;

	/**
	 * Creates the exit.
	 * @param locks the check of the fences
	 * @param endings one for each way in which a claim ends
	 */
	FinishJobs(LockClaims locks, List<Ending<?>> endings) {
		this.locks = locks;
		this.endings = List.copyOf(endings);
		Set<Class<?>> types = this.endings.stream().map(Ending::type).collect(Collectors.toSet());
		if (!types.equals(Set.of(Finish.class.getPermittedSubclasses()))) {
			throw new IllegalArgumentException("Claims end in other ways too than " + types);
		}
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
		this.endings.forEach((ending) -> end(ending, valid, locked));
		return stale;
	}

	private static <T extends Finish> void end(Ending<T> ending, List<? extends Finish> finishes,
			LockClaims.Locked locked) {
		List<T> own = finishes.stream().filter(ending.type()::isInstance).map(ending.type()::cast).toList();
		if (!own.isEmpty()) {
			ending.end(own, locked);
		}
	}

}
