package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends signals to processes.
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Sends a signal.
	 * @param process to whom
	 * @param signal its name, such as STOP or CONT
	 */
	public static void send(Process process, String signal) {
		try {
			int failed = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO()
				.start()
				.waitFor();
			if (failed != 0) {
				throw new IllegalStateException("Process " + process.pid() + " cannot be sent SIG" + signal);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while a process was sent SIG" + signal, ex);
		}
	}

}
