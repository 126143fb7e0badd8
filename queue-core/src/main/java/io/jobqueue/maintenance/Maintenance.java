package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.jobqueue.store.SqlFailure;
import io.jobqueue.text.Durations;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.TransactionException;

/**
 * Runs the chores, each at its own interval and on its own thread: a long prune must not
 * hold up a rescue. Every node may run it: what two do at once is done once.
 */
public final class Maintenance {

	private static final Logger log = LoggerFactory.getLogger(Maintenance.class);

	private static final Duration STOP_WAIT = Duration.ofSeconds(2);

	private final List<Chore> chores;

	/** The chores that failed in their last round. */
	private final Set<Chore> failing = ConcurrentHashMap.newKeySet();

	/** Those of them that failed because the database was away. */
	private final Set<Chore> out = ConcurrentHashMap.newKeySet();

	/** Whether the log says that the database cannot be asked: once for all chores. */
	private final AtomicBoolean outage = new AtomicBoolean();

	@GuardedBy("this")
	private @Nullable ScheduledExecutorService thread;

	/**
	 * Creates the maintenance; nothing is started yet.
	 * @param chores what to do
	 */
	public Maintenance(List<Chore> chores) {
		this.chores = List.copyOf(chores);
	}

	/**
	 * Starts the maintenance, if it is not running.
	 */
	public synchronized void start() {
		if (this.thread != null) {
			return;
		}
		ScheduledExecutorService started = Executors.newScheduledThreadPool(this.chores.size(),
				new CustomizableThreadFactory("jobqueue-maintenance-"));
		for (Chore chore : this.chores) {
			long millis = Math.max(1, chore.interval().toMillis());
			started.scheduleWithFixedDelay(() -> run(chore), chore.atStart() ? 0 : millis, millis,
					TimeUnit.MILLISECONDS);
		}
		this.thread = started;
	}

	/**
	 * Stops the maintenance, if it is running, and waits a little for the chore under
	 * way.
	 */
	public synchronized void stop() {
		ScheduledExecutorService running = this.thread;
		this.thread = null;
		if (running == null) {
			return;
		}
		running.shutdownNow();
		try {
			if (!running.awaitTermination(STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
				log.warn("A chore of the maintenance did not end within {}", Durations.text(STOP_WAIT));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What the chores are called.
	 */
	public List<String> chores() {
		return this.chores.stream().map(Chore::name).toList();
	}

	/**
	 * Whether a chore has failed in its last round, so that its work is left undone.
	 * @param name the chore's name
	 */
	public boolean isFailing(String name) {
		return this.failing.stream().anyMatch((chore) -> chore.name().equals(name));
	}

	/**
	 * Does a chore once.
	 */
	void run(Chore chore) {
		try {
			int changed = chore.runOnce();
			if (changed == Chore.NOT_DUE) {
				return;
			}
			if (changed > 0) {
				log.debug("{}: {} job(s)", chore.name(), changed);
			}
			if (this.failing.remove(chore)) {
				noteEnd(chore);
			}
		}
		catch (Throwable ex) {
			noteFailure(chore, ex);
		}
	}

	private void noteEnd(Chore chore) {
		if (!endsOutage(chore)) {
			log.info("{} works again", chore.name());
		}
	}

	/**
	 * A chore that did not fail need not have asked the database, so only one that did
	 * tells that an outage is over.
	 * @return whether the chore's last failure was one by the outage
	 */
	private boolean endsOutage(Chore chore) {
		boolean wasOut = this.out.remove(chore);
		if (wasOut && this.outage.compareAndSet(true, false)) {
			log.info("The database answers the chores of the maintenance again");
		}
		return wasOut;
	}

	/**
	 * Whether the queue's database is away. What an archive sink wraps may be an outage
	 * of another one.
	 */
	private static boolean isOutage(Throwable failure) {
		return (failure instanceof DataAccessException || failure instanceof TransactionException)
				&& SqlFailure.isOutage(failure);
	}

	/**
	 * A chore that throws would never be run again.
	 */
	private void noteFailure(Chore chore, Throwable failure) {
		try {
			boolean isNew = this.failing.add(chore);
			if (isOutage(failure)) {
				this.out.add(chore);
				if (this.outage.compareAndSet(false, true)) {
					log.warn(
							"The database cannot be asked. The chores of the maintenance are tried again until it answers: {}",
							NestedExceptionUtils.getMostSpecificCause(failure).toString());
				}
			}
			else if (endsOutage(chore) || isNew) {
				log.warn("{} failed; tried again every {}: {}", chore.name(), Durations.text(chore.interval()),
						failure.toString());
			}
			log.debug("{} failed", chore.name(), failure);
		}
		catch (Throwable ex) {
			// Without memory there is no log either; to go on is what matters.
		}
	}

}
