package io.jobqueue.spring.archive;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
	 * @param sinks the sinks by the names of their beans, each of which gets every job,
	 * in this order
	 * @return what stores in all of them; null if there are none
	 */
	public static @Nullable JobArchiveSink of(Map<String, JobArchiveSink> sinks) {
		return sinks.isEmpty() ? null : new All(new LinkedHashMap<>(sinks));
	}

	/**
	 * All of them as one, which says by name whose failure it is.
	 *
	 * @param sinks the sinks, in the order in which they are called
	 */
	private record All(Map<String, JobArchiveSink> sinks) implements JobArchiveSink {

		@Override
		public void store(List<ArchivedJob> jobs) throws Exception {
			for (Map.Entry<String, JobArchiveSink> sink : this.sinks.entrySet()) {
				named(sink.getKey(), () -> sink.getValue().store(jobs));
			}
		}

		@Override
		public void check() throws Exception {
			for (Map.Entry<String, JobArchiveSink> sink : this.sinks.entrySet()) {
				named(sink.getKey(), sink.getValue()::check);
			}
		}

		private static void named(String bean, Step step) throws Exception {
			try {
				step.run();
			}
			catch (InterruptedException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException("The sink '" + bean + "' failed", ex);
			}
		}

		@Override
		public String toString() {
			return this.sinks.entrySet()
				.stream()
				.map((sink) -> "'" + sink.getKey() + "' (" + sink.getValue() + ")")
				.collect(Collectors.joining(", "));
		}

	}

	/**
	 * What is done with one of them.
	 */
	private interface Step {

		void run() throws Exception;

	}

}
