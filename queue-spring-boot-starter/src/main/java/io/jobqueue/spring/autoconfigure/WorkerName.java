package io.jobqueue.spring.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.springframework.core.env.Environment;

/**
 * What operators know a worker by that was given no name: application, host and process.
 */
final class WorkerName {

	private WorkerName() {
	}

	static String of(Environment environment) {
		String application = environment.getProperty("spring.application.name", "application");
		return application + "@" + host() + ":" + ProcessHandle.current().pid();
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
