package io.jobqueue.worker.run;

import java.io.PrintWriter;
import java.io.StringWriter;

import io.jobqueue.store.Failure;
import io.jobqueue.store.Texts;
import io.jobqueue.worker.attempt.Attempt;

/**
 * What is stored and logged of an exception, whatever its own methods do.
 */
final class FailureTexts {

	private static final int MAX_LINE = 300;

	private FailureTexts() {
	}

	static Failure stored(int attempt, Throwable failure) {
		StringWriter trace = new StringWriter();
		try {
			failure.printStackTrace(new PrintWriter(trace));
		}
		catch (Throwable ex) {
			trace.append("(the stack trace could not be written)");
		}
		String type = (failure instanceof InterruptedAttempt own) ? own.word() : failure.getClass().getName();
		return new Failure(attempt, type, messageOf(failure), trace.toString());
	}

	private static String messageOf(Throwable failure) {
		try {
			return String.valueOf((failure.getMessage() != null) ? failure.getMessage() : "");
		}
		catch (Throwable ex) {
			return "(the exception has no readable message)";
		}
	}

	static String oneLine(Throwable failure) {
		return Texts.shortened(onLine(failure.getClass().getSimpleName() + ": " + messageOf(failure)), MAX_LINE);
	}

	/**
	 * All that is stored of a failure that has no stack trace, on one line.
	 */
	static String all(Failure stored) {
		return onLine(stored.type() + ": " + stored.message());
	}

	private static String onLine(String text) {
		return text.replaceAll("\\p{Cntrl}+", " ");
	}

	/**
	 * Tells of the jobs that run in the same call; empty if there are none.
	 */
	static String others(Attempt attempt) {
		int others = attempt.chunk().attempts().size() - 1;
		return (others == 0) ? "" : ", with " + others + " other(s) of its chunk,";
	}

}
