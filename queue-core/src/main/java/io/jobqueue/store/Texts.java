package io.jobqueue.store;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Texts that are to fit into their columns, or into a line.
 */
public final class Texts {

	/** Stands at the end of what was cut. */
	static final String MORE = "…";

	private static final int MOST_NAMES = 10;

	private Texts() {
	}

	/**
	 * Names the first ten, and says how many more there are.
	 * @param names the names; not empty
	 */
	public static String firstOf(List<String> names) {
		String first = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
		return (names.size() > MOST_NAMES) ? first + " and " + (names.size() - MOST_NAMES) + " more" : first;
	}

	/**
	 * Cuts a text. Half of a surrogate pair, which no database takes, is left out.
	 * @param text the text
	 * @param most how many characters may be left, the mark of the cut among them
	 * @return the text, or its beginning
	 */
	public static String shortened(String text, int most) {
		if (text.length() <= most) {
			return text;
		}
		int end = Character.isHighSurrogate(text.charAt(most - 2)) ? most - 2 : most - 1;
		return text.substring(0, end) + MORE;
	}

}
