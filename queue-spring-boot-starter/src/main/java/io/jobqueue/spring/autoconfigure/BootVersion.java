package io.jobqueue.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;

/**
 * An older Spring Boot brings older libraries, which fail somewhere by a method that is
 * not there.
 */
final class BootVersion {

	private static final int MAJOR = 4;

	private static final int MINOR = 1;

	private BootVersion() {
	}

	static void check() {
		check(SpringBootVersion.getVersion());
	}

	/**
	 * Refuses a version that is too old.
	 * @param version the version; null if it is not known
	 */
	static void check(@Nullable String version) {
		String[] parts = (version != null) ? version.split("\\.") : new String[0];
		if (parts.length > 1 && (number(parts[0]) < MAJOR || number(parts[0]) == MAJOR && number(parts[1]) < MINOR)) {
			throw new OldSpringBootException(version);
		}
	}

	private static int number(String text) {
		return text.matches("\\d{1,6}") ? Integer.parseInt(text) : Integer.MAX_VALUE;
	}

}
