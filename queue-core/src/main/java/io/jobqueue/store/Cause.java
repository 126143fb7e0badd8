package io.jobqueue.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Why a job is dead, such that those which died of the same have the same cause.
 *
 * @param errorType the class of the exception, or a word of the queue's own
 * @param place the method in which it happened, as far as the stack trace tells; may be
 * empty
 * @param message what was said, with {@code #} in place of numbers and ids; may be empty
 */
public record Cause(String errorType, String place, String message) {

	/** Stands for all messages of one type and place, where they are too many. */
	static final String ANY = "(many)";

	private static final int MAX_PLACE = 255;

	private static final int MAX_MESSAGE = 255;

	private static final Pattern UUID = Pattern
		.compile("\\b\\p{XDigit}{8}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{12}\\b");

	/** Such as hashes, addresses of objects, and ids of traces. */
	private static final Pattern HEX = Pattern.compile("\\b(?:0x\\p{XDigit}+|(?=\\p{XDigit}*\\d)\\p{XDigit}{8,})\\b");

	private static final Pattern NUMBER = Pattern.compile("\\d++(?:[.,:]\\d++)*+");

	private static final Pattern FRAME = Pattern.compile("^\\tat (?:[^(/]*/)*+([\\w.$]+)\\(");

	private static final Pattern LAMBDA = Pattern.compile("lambda\\$(\\w+)\\$\\d+$");

	private static final String CAUSED_BY = "Caused by: ";

	/** What calls the application's code, or is called by it. */
	private static final List<String> OTHERS = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "jakarta.",
			"org.springframework.", "org.hibernate.", "com.zaxxer.hikari.", "com.mysql.", "org.mariadb.", "org.h2.",
			"io.jobqueue.worker.", "io.jobqueue.store.", "io.jobqueue.database.", "io.jobqueue.spring.");

	private static final String GENERATED = "$$";

	/**
	 * Finds the cause of a failure.
	 * @param failure the failure, as it is stored
	 * @return its cause
	 */
	public static Cause of(Failure failure) {
		return new Cause(failure.type(), placeOf(failure.stackTrace()), withoutNumbers(failure.message()));
	}

	/**
	 * Finds the cause of a failure that is known by a number.
	 * @param failure the failure of one of its jobs, as it is stored
	 * @param id the number
	 * @return the cause, which may be that of many messages
	 */
	public static Cause of(Failure failure, long id) {
		Cause cause = of(failure);
		return (cause.id() == id) ? cause : cause.ofAnyMessage();
	}

	/**
	 * The same without what was said.
	 */
	Cause ofAnyMessage() {
		return new Cause(this.errorType, this.place, ANY);
	}

	/**
	 * What it is known by: the same on all nodes and for all time.
	 * @return the number
	 */
	public long id() {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			String text = this.errorType + "\n" + this.place + "\n" + this.message;
			return ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8))).getLong();
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java has SHA-256", ex);
		}
	}

	private static String withoutNumbers(String message) {
		String line = message.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}+", " ").strip();
		String ids = HEX.matcher(UUID.matcher(line).replaceAll("#")).replaceAll("#");
		return Texts.shortened(NUMBER.matcher(ids).replaceAll("#"), MAX_MESSAGE);
	}

	/**
	 * The first method of the application in the innermost exception that has one;
	 * without one, the first method of the innermost exception. Not its line, which
	 * changes with each version.
	 */
	private static String placeOf(String stackTrace) {
		String own = "";
		String any = "";
		boolean ownFound = false;
		boolean anyFound = false;
		for (String line : (Iterable<String>) stackTrace.lines()::iterator) {
			if (line.startsWith(CAUSED_BY)) {
				ownFound = false;
				anyFound = false;
				continue;
			}
			String method = methodOf(line);
			if (method.isEmpty()) {
				continue;
			}
			if (!anyFound) {
				any = method;
				anyFound = true;
			}
			if (!ownFound && isOwn(method)) {
				own = method;
				ownFound = true;
			}
		}
		return Texts.shortened(own.isEmpty() ? any : own, MAX_PLACE);
	}

	private static String methodOf(String line) {
		var frame = FRAME.matcher(line);
		return frame.find() ? LAMBDA.matcher(frame.group(1)).replaceAll("$1") : "";
	}

	private static boolean isOwn(String method) {
		return !method.contains(GENERATED) && OTHERS.stream().noneMatch(method::startsWith);
	}

}
