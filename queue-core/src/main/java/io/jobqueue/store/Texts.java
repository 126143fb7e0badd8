package io.jobqueue.store;

/**
 * Texts that are to fit into their columns.
 */
public final class Texts {

	/** Stands at the end of what was cut. */
	static final String MORE = "…";

	private Texts() {
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
