package io.jobqueue.processor;

/**
 * Texts of annotations. Placeholders and expressions are replaced when the application
 * starts, so nobody knows here what they become.
 */
final class Texts {

	private Texts() {
	}

	static boolean isProperty(String text) {
		return text.contains("${") || text.contains("#{");
	}

	/**
	 * What is known, or the default.
	 */
	static String known(String text) {
		return isProperty(text) ? "" : text;
	}

}
