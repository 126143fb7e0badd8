package io.jobqueue.database;

import java.util.ArrayList;
import java.util.List;

/**
 * Lists in parts that are short enough for an IN list. From 1,000 values on MariaDB makes
 * such a list a table and joins it without regard to FORCE INDEX, that is, it reads and
 * locks the whole other table (in_predicate_conversion_threshold). All parts of a list
 * belong to one transaction.
 */
public final class Chunks {

	private static final int SIZE = 500;

	private Chunks() {
	}

	/**
	 * Cuts a list into parts.
	 * @param <T> what is in it
	 * @param all the list, in the order in which the rows are to be locked
	 * @return the parts, none of them empty
	 */
	public static <T> List<List<T>> of(List<T> all) {
		return of(all, SIZE);
	}

	/**
	 * Cuts a list into parts of a size.
	 * @param <T> what is in it
	 * @param all the list
	 * @param size how many belong to one part, unless it is the last
	 * @return the parts, none of them empty
	 */
	public static <T> List<List<T>> of(List<T> all, int size) {
		List<List<T>> chunks = new ArrayList<>();
		for (int start = 0; start < all.size(); start += size) {
			chunks.add(all.subList(start, Math.min(all.size(), start + size)));
		}
		return chunks;
	}

}
