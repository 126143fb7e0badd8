package io.jobqueue.spring.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.springframework.core.env.Environment;

/**
 * What operators know a worker by that was given no name: application, host and process.
 */
final class WorkerName {

	private static final int MAX = 255;

	private WorkerName() {
	}

	static String of(Environment environment) {
		String application = environment.getProperty("spring.application.name", "application");
		String name = application + "@" + host() + ":" + ProcessHandle.current().pid();
		// The end tells one worker of an application from another.
		return (name.length() > MAX) ? name.substring(name.length() - MAX) : name;
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
