package io.jobqueue;

import java.util.List;

/**
 * Takes archived jobs to another place before they are deleted here. A bean of this type
 * is called by each node that prunes, for what has been kept long enough: first the jobs
 * are stored there, then they are deleted. There is no transaction that holds both. So
 * after a crash in between, and when two nodes prune at once, jobs come again. They are
 * recognised by {@link Job#id()}, {@link ArchivedJob#fence()} and
 * {@link Job#enqueuedAt()} together: ids alone may start again.
 * <p>
 * If there are several such beans, each gets every job, in the order of the beans. Where
 * succeeded jobs are not archived ({@code jobqueue.archive.keep-succeeded=false}), none
 * gets those. The starter has two of its own: {@code JdbcArchiveSink} and
 * {@code NdjsonArchiveSink}, in {@code io.jobqueue.spring.archive}.
 */
@FunctionalInterface
public interface JobArchiveSink {

	/**
	 * Stores jobs, such that they outlive a crash of this process and its machine once
	 * this returns.
	 * @param jobs some jobs, of all types and of one state: 500 at most, and some
	 * megabytes
	 * @throws Exception if they could not be stored. Nothing is deleted then; the next
	 * round tries again
	 */
	void store(List<ArchivedJob> jobs) throws Exception;

	/**
	 * Finds out whether jobs could be stored. It is called when the worker has started,
	 * and until it succeeds: what is wrong is then known before the first job is to be
	 * pruned.
	 * @throws Exception if they could not
	 */
	default void check() throws Exception {
	}

}
