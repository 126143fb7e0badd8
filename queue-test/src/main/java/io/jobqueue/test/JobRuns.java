package io.jobqueue.test;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The runs of one call of the {@link JobQueueTester}, in their order.
 *
 * @param all the runs
 * @param withoutHandler the types of due jobs that did not run, since no bean of the test
 * has a handler for them
 */
public record JobRuns(List<JobRun> all, Set<String> withoutHandler) {

	public JobRuns {
		all = List.copyOf(all);
		withoutHandler = Set.copyOf(withoutHandler);
	}

	/**
	 * How many runs there were.
	 * @return the count; a job that ran twice counts twice
	 */
	public int count() {
		return this.all.size();
	}

	/**
	 * Those of one type.
	 * @param type the type
	 * @return the runs
	 */
	public JobRuns of(String type) {
		return new JobRuns(this.all.stream().filter((run) -> run.type().equals(type)).toList(),
				this.withoutHandler.contains(type) ? Set.of(type) : Set.of());
	}

	/**
	 * Those whose attempt failed, whether it is tried again or not; not those whose
	 * result was discarded (stale) or that were given back.
	 * @return the runs
	 */
	public JobRuns failed() {
		return new JobRuns(this.all.stream().filter((run) -> run.failure() != null).toList(), Set.of());
	}

	/**
	 * Fails the test if any run failed, with what the first of them threw as the cause.
	 * @return this
	 * @throws AssertionError if any run failed
	 */
	public JobRuns assertNoneFailed() {
		List<JobRun> failed = failed().all();
		if (!failed.isEmpty()) {
			throw new AssertionError(failed.stream()
				.map(JobRuns::described)
				.collect(Collectors.joining("\n  ", failed.size() + " of " + count() + " run(s) failed:\n  ", "")),
					failed.get(0).thrown());
		}
		return this;
	}

	private static String described(JobRun run) {
		String why = (run.failure() != null) ? ": " + run.failure().type() + ": " + run.failure().message() : "";
		return run.type() + " job " + run.id() + " (attempt " + run.attempt() + ", " + run.outcome() + ")" + why;
	}

}
