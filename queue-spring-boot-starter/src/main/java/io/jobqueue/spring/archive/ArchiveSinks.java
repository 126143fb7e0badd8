package io.jobqueue.spring.archive;

import java.util.List;
import java.util.function.Function;
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
	 * @param sinks the sinks, each of which gets every job, in this order
	 * @param name what a sink is called in messages
	 * @return what stores in all of them; null if there are none
	 */
	public static @Nullable JobArchiveSink of(List<JobArchiveSink> sinks, Function<JobArchiveSink, String> name) {
		return sinks.isEmpty() ? null
				: new All(sinks.stream().map((sink) -> new Named(name.apply(sink), sink)).toList());
	}

	/**
	 * All of them as one, which says by name whose failure it is.
	 *
	 * @param sinks the sinks, in the order in which they are called
	 */
	private record All(List<Named> sinks) implements JobArchiveSink {

		@Override
		public void store(List<ArchivedJob> jobs) throws Exception {
			for (Named named : this.sinks) {
				named.use(() -> named.sink().store(jobs));
			}
		}

		@Override
		public void check() throws Exception {
			for (Named named : this.sinks) {
				named.use(named.sink()::check);
			}
		}

		@Override
		public String toString() {
			return this.sinks.stream().map(Named::name).collect(Collectors.joining(", "));
		}

	}

	/**
	 * A sink and its name.
	 */
	private record Named(String name, JobArchiveSink sink) {

		void use(Step step) throws Exception {
			try {
				step.run();
			}
			catch (InterruptedException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException("The sink " + this.name + " failed", ex);
			}
		}

	}

	/**
	 * What is done with one of them.
	 */
	private interface Step {

		void run() throws Exception;

	}

}
