package io.jobqueue.spring.archive;

import java.util.List;

import io.jobqueue.JobArchiveSink;

import org.jspecify.annotations.Nullable;

/**
 * The sinks of an application as one.
 */
public final class ArchiveSinks {

	private ArchiveSinks() {
	}

	/**
	 * Puts sinks together.
	 * @param sinks the sinks, each of which gets every job
	 * @return what stores in all of them; null if there are none
	 */
	public static @Nullable JobArchiveSink of(List<JobArchiveSink> sinks) {
		if (sinks.size() <= 1) {
			return sinks.isEmpty() ? null : sinks.get(0);
		}
		return (jobs) -> {
			for (JobArchiveSink sink : sinks) {
				sink.store(jobs);
			}
		};
	}

}
