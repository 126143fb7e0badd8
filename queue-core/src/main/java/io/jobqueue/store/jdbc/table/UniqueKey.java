package io.jobqueue.store.jdbc.table;

import io.jobqueue.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * A unique key within its scope.
 *
 * @param type the job type
 * @param text what the application chose
 */
public record UniqueKey(String type, String text) implements Comparable<UniqueKey> {

	/**
	 * The key of a new job.
	 * @param job the job
	 * @return its key, or null if it has none
	 */
	public static @Nullable UniqueKey of(NewJob job) {
		String text = job.uniqueKey();
		return (text != null) ? new UniqueKey(job.type(), text) : null;
	}

	@Override
	public int compareTo(UniqueKey other) {
		int byType = this.type.compareTo(other.type);
		return (byType != 0) ? byType : this.text.compareTo(other.text);
	}

}
