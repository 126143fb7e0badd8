package io.jobqueue.store;

import java.nio.charset.StandardCharsets;

/**
 * How many bytes of UTF-8 a payload takes, counted only where its length in characters
 * does not decide.
 */
public final class PayloadSize {

	private static final int MAX_BYTES_PER_CHAR = 3;

	private PayloadSize() {
	}

	public static boolean exceeds(String payload, int bytes) {
		if (payload.length() > bytes) {
			return true;
		}
		return (long) payload.length() * MAX_BYTES_PER_CHAR > bytes && of(payload) > bytes;
	}

	public static int of(String payload) {
		return payload.getBytes(StandardCharsets.UTF_8).length;
	}

}
