package io.jobqueue;

import java.util.regex.Pattern;

/**
 * The rule that queue names and job types follow.
 */
final class JobNames {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

	private JobNames() {
	}

	static String checked(String what, String name) {
		if (name == null || !NAME.matcher(name).matches()) {
			throw new IllegalArgumentException(what + " must match " + NAME.pattern() + ", but is " + quoted(name));
		}
		return name;
	}

	private static String quoted(String name) {
		if (name == null) {
			return "null";
		}
		String shown = (name.length() > 100) ? name.substring(0, 100) + "…" : name;
		return "'" + shown.replaceAll("\\p{Cntrl}", "?") + "'";
	}

}
