package io.jobqueue.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that run attempts, one for each slot, and the claimed jobs that wait for
 * them. The poll loop claims no more than there is room for, so what waits is bounded.
 */
final class Slots {

	private static final Logger log = LoggerFactory.getLogger(Slots.class);

	private final int count;

	private final ThreadFactory threads;

	private final BlockingQueue<Attempt> waiting = new LinkedBlockingQueue<>();

	private final List<Thread> started = new ArrayList<>();

	private volatile boolean stopped;

	Slots(WorkerSettings.Slots settings) {
		this.count = settings.concurrency();
		this.threads = settings.virtualThreads()
				? new VirtualThreadTaskExecutor("jobqueue-slot-").getVirtualThreadFactory()
				: new CustomizableThreadFactory("jobqueue-slot-");
	}

	void start(Consumer<Attempt> execution) {
		for (int i = 0; i < this.count; i++) {
			Thread thread = this.threads.newThread(() -> run(execution));
			this.started.add(thread);
			thread.start();
		}
	}

	void add(Attempt attempt) {
		this.waiting.add(attempt);
	}

	int waiting() {
		return this.waiting.size();
	}

	/**
	 * Lets each thread end when it is next without work. One whose handler never returns
	 * is left alone.
	 */
	void stop() {
		this.stopped = true;
		this.waiting.clear();
		this.started.forEach(Thread::interrupt);
	}

	private void run(Consumer<Attempt> execution) {
		while (!this.stopped) {
			try {
				execution.accept(this.waiting.take());
			}
			catch (InterruptedException ex) {
				// Stopped, or a late interrupt of an attempt that has ended: the
				// condition tells.
			}
			catch (Throwable ex) {
				log.error("A slot's attempt ended in an unexpected way; its job will be given back", ex);
			}
		}
	}

}
