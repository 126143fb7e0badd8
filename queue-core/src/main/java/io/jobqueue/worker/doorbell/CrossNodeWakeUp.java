package io.jobqueue.worker.doorbell;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jobqueue.NewJob;
import io.jobqueue.store.Doorbell;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.QueueListener;
import io.jobqueue.worker.thread.WakeUp;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the workers of other nodes at once when this one has committed jobs, and this
 * node's worker when they have. Without it they find each other's jobs by polling, and
 * they go on polling with it: nothing depends on a ring that is lost.
 */
public final class CrossNodeWakeUp implements QueueListener {

	private static final Logger log = LoggerFactory.getLogger(CrossNodeWakeUp.class);

	/** A stop waits for the end of such a wait. */
	private static final Duration WAIT = Duration.ofSeconds(3);

	/** The connection for rings goes back to the pool after this time without one. */
	private static final Duration LOOK = Duration.ofSeconds(1);

	/** However many jobs this node commits, it rings no more often than this. */
	private static final long GAP_MILLIS = 5;

	private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

	private static final long SLICE_NANOS = Duration.ofMillis(50).toNanos();

	private static final long STOP_MILLIS = 4_000;

	private final Supplier<Doorbell> doorbells;

	private final @Nullable Runnable onRing;

	private final WakeUp ringDue = new WakeUp();

	@GuardedBy("this")
	private final List<Thread> threads = new ArrayList<>();

	private volatile @Nullable Doorbell doorbell;

	/**
	 * Creates the wake-up; nothing is started yet.
	 * @param doorbells makes the doorbell, anew for each start
	 * @param onRing wakes this node's worker; null if it has none, and only enqueues
	 */
	public CrossNodeWakeUp(Supplier<Doorbell> doorbells, @Nullable Runnable onRing) {
		this.doorbells = doorbells;
		this.onRing = onRing;
	}

	/**
	 * Starts to ring, and to listen if there is somebody to wake.
	 */
	public synchronized void start() {
		if (this.doorbell != null) {
			return;
		}
		Doorbell started = this.doorbells.get();
		this.doorbell = started;
		startThread("jobqueue-doorbell-ring", started, () -> ring(started), started::endRinging);
		Runnable wake = this.onRing;
		if (wake != null) {
			startThread("jobqueue-doorbell-wait", started, () -> listen(started, wake), started::endWaiting);
		}
	}

	@GuardedBy("this")
	private void startThread(String name, Doorbell bell, Step step, Runnable end) {
		Thread thread = new Thread(() -> {
			run(name, bell, step);
			end.run();
		}, name);
		thread.setDaemon(true);
		this.threads.add(thread);
		thread.start();
	}

	/**
	 * Stops both, and waits some seconds until they have. A thread that waits longer for
	 * the database ends by itself.
	 */
	public synchronized void stop() {
		this.doorbell = null;
		this.ringDue.signal();
		try {
			for (Thread thread : this.threads) {
				thread.join(STOP_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.threads.clear();
	}

	/**
	 * Whether it was started and not stopped.
	 * @return true if so
	 */
	public boolean isRunning() {
		return this.doorbell != null;
	}

	private void run(String name, Doorbell bell, Step step) {
		boolean failing = false;
		while (this.doorbell == bell) {
			try {
				if (step.run() && failing) {
					failing = false;
					log.info("{} works again", name);
				}
			}
			catch (InterruptedException ex) {
				log.debug("{} interrupted", name);
			}
			catch (RuntimeException | Error ex) {
				if (!failing) {
					log.warn("{} failed; nodes find each other's jobs by polling meanwhile: {}", name, ex.toString());
				}
				log.debug("{} failed", name, ex);
				failing = true;
				pause(bell);
			}
		}
	}

	private void pause(Doorbell bell) {
		long until = System.nanoTime() + PAUSE_NANOS;
		while (this.doorbell == bell && System.nanoTime() - until < 0) {
			LockSupport.parkNanos(SLICE_NANOS);
		}
	}

	private boolean ring(Doorbell bell) throws InterruptedException {
		if (!this.ringDue.await(LOOK)) {
			bell.endRinging();
			return false;
		}
		if (this.doorbell == bell) {
			bell.ring();
			TimeUnit.MILLISECONDS.sleep(GAP_MILLIS);
		}
		return true;
	}

	private static boolean listen(Doorbell bell, Runnable wake) {
		if (bell.await(WAIT)) {
			wake.run();
		}
		return true;
	}

	@Override
	public void enqueued(List<EnqueuedJob> jobs) {
		if (jobs.stream().map(EnqueuedJob::job).anyMatch(CrossNodeWakeUp::isDue)) {
			this.ringDue.signal();
		}
	}

	private static boolean isDue(NewJob job) {
		Instant availableAt = job.availableAt();
		return (availableAt != null) ? !availableAt.isAfter(Instant.now()) : job.delay().isZero();
	}

	@Override
	public void becameReady() {
		this.ringDue.signal();
	}

	@Override
	public void paused(String queue, boolean paused) {
		if (!paused) {
			this.ringDue.signal();
		}
	}

	@FunctionalInterface
	private interface Step {

		/**
		 * Does one step.
		 * @return whether the database was asked
		 */
		boolean run() throws InterruptedException;

	}

}
