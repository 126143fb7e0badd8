package io.jobqueue.spring.archive;

import java.util.List;

import io.jobqueue.ArchivedJob;
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
		return new All(sinks);
	}

	/**
	 * Several sinks as one.
	 *
	 * @param sinks the sinks, in the order in which they are called
	 */
	private record All(List<JobArchiveSink> sinks) implements JobArchiveSink {

		@Override
		public void store(List<ArchivedJob> jobs) throws Exception {
			for (JobArchiveSink sink : this.sinks) {
				sink.store(jobs);
			}
		}

	}

}
