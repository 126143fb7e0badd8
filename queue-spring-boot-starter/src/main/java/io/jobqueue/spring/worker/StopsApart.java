package io.jobqueue.spring.worker;

import org.springframework.context.SmartLifecycle;

/**
 * A lifecycle that is stopped on a thread of its own: Spring's timeout for the phase then
 * holds whatever it waits for, and others of the phase stop meanwhile.
 */
interface StopsApart extends SmartLifecycle {

	@Override
	default void stop(Runnable callback) {
		Thread stopper = new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "jobqueue-stop");
		stopper.setDaemon(true);
		stopper.start();
	}

}
