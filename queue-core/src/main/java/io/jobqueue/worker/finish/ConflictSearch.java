package io.jobqueue.worker.finish;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

import io.jobqueue.store.Finish;
import io.jobqueue.worker.attempt.AttemptResult;

/**
 * Finds the results of a batch that somebody's locks stand in the way of: single ones, or
 * all that end in one way. Who has locked a range of the archive keeps dead jobs out of
 * it, say, and lets succeeded ones in. Used by the finisher's thread only.
 */
final class ConflictSearch {

	/**
	 * So many failures for each way in which jobs end; each may have waited a second.
	 * Enough to find one among a thousand by halves.
	 */
	private static final int MOST_FAILURES = 12;

	private static final int PROBES = 2;

	private final DeferredResults deferred;

	private final Writer writer;

	/**
	 * The ways to end of which new results could not be committed, and none could since.
	 */
	private final Set<Class<? extends Finish>> blocked = new HashSet<>();

	/** Any sequence will do, so it is always the same. */
	private final SplittableRandom random = new SplittableRandom(1);

	private boolean underWay;

	private int failures;

	/**
	 * Creates a search.
	 * @param deferred what cannot be committed
	 * @param writer commits results, or defers them, or searches in them
	 */
	ConflictSearch(DeferredResults deferred, Writer writer) {
		this.deferred = deferred;
		this.writer = writer;
	}

	boolean isUnderWay() {
		return this.underWay;
	}

	/**
	 * Defers results that would have to wait as others like them do.
	 * @param results results that have just come in
	 * @return the other ones
	 */
	List<AttemptResult> deferBlocked(List<AttemptResult> results) {
		if (this.deferred.size() == 0) {
			this.blocked.clear();
		}
		if (this.blocked.isEmpty()) {
			return results;
		}
		Map<Boolean, List<AttemptResult>> parts = results.stream()
			.collect(Collectors.partitioningBy((result) -> this.blocked.contains(result.finish().getClass())));
		this.deferred.addUntried(parts.getOrDefault(true, List.of()));
		return parts.getOrDefault(false, List.of());
	}

	/**
	 * Notes that a result was committed: others like it may be tried again.
	 */
	void committed(AttemptResult result) {
		if (!this.blocked.isEmpty()) {
			this.blocked.remove(result.finish().getClass());
		}
	}

	/**
	 * Notes that a commit has failed.
	 */
	void failed() {
		this.failures++;
	}

	/**
	 * Commits what can be committed, and defers the rest.
	 * @param batch at least two results, which could not be committed together
	 * @param certain whether no earlier commit of them may have taken place
	 */
	void search(List<AttemptResult> batch, boolean certain) throws InterruptedException {
		if (this.underWay) {
			failed();
			int half = (batch.size() + 1) / 2;
			List<List<AttemptResult>> halves = new ArrayList<>(
					List.of(batch.subList(0, half), batch.subList(half, batch.size())));
			// Always in one order, the failures would always be used up by the same ones.
			Collections.rotate(halves, this.random.nextInt(2));
			for (List<AttemptResult> part : halves) {
				writePart(part, certain);
			}
			return;
		}
		this.underWay = true;
		try {
			// Ranges that others have locked are neighbours by id.
			Map<Class<? extends Finish>, List<AttemptResult>> byEnd = batch.stream()
				.sorted(Comparator.comparingLong((result) -> result.finish().claim().id()))
				.collect(Collectors.groupingBy((result) -> result.finish().getClass(), LinkedHashMap::new,
						Collectors.toList()));
			for (Map.Entry<Class<? extends Finish>, List<AttemptResult>> same : byEnd.entrySet()) {
				this.failures = 0;
				searchIn(same.getKey(), same.getValue(), certain);
			}
		}
		finally {
			this.underWay = false;
		}
	}

	private void searchIn(Class<? extends Finish> end, List<AttemptResult> results, boolean certain)
			throws InterruptedException {
		if (this.blocked.contains(end) && results.size() > PROBES) {
			probe(end, results, certain);
			return;
		}
		long before = this.deferred.failed();
		writePart(results, certain);
		// Those that have waited for long are no measure for new ones.
		if (!this.deferred.isTrying() && this.deferred.failed() - before == results.size()) {
			this.blocked.add(end);
		}
	}

	/**
	 * Tries two before all: the last, which is perhaps the newest, and any other.
	 */
	private void probe(Class<? extends Finish> end, List<AttemptResult> results, boolean certain)
			throws InterruptedException {
		List<AttemptResult> others = new ArrayList<>(results);
		Collections.swap(others, this.random.nextInt(others.size() - 1), others.size() - PROBES);
		List<AttemptResult> probes = List.copyOf(others.subList(others.size() - PROBES, others.size()));
		others.subList(others.size() - PROBES, others.size()).clear();
		for (AttemptResult probe : probes) {
			writePart(List.of(probe), certain);
		}
		if (this.blocked.contains(end)) {
			this.failures = MOST_FAILURES;
		}
		writePart(others, certain);
	}

	private void writePart(List<AttemptResult> part, boolean certain) throws InterruptedException {
		if (this.failures < MOST_FAILURES) {
			this.writer.write(part, certain);
		}
		else {
			this.deferred.addUntried(certain ? part : part.stream().map(AttemptResult::maybeDone).toList());
		}
	}

	/**
	 * Commits results.
	 */
	@FunctionalInterface
	interface Writer {

		void write(List<AttemptResult> results, boolean certain) throws InterruptedException;

	}

}
