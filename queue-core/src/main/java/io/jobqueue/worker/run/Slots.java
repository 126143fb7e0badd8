package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.thread.ResilientThread;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that run attempts, one for each slot, and the claimed jobs that wait for
 * them. The poll loop claims no more than there is room for, so what waits is bounded.
 */
public final class Slots {

	private static final long STANDING_NANOS = Duration.ofSeconds(2).toNanos();

	private final int count;

	private final LongSupplier nanoTime;

	private final ThreadFactory threads;

	private final BlockingQueue<Optional<Next>> waiting = new LinkedBlockingQueue<>();

	/** By type. */
	private final Map<String, ChunkQueue> chunks = new ConcurrentHashMap<>();

	/** When an attempt was last added or taken. */
	private volatile long movedNanos;

	public Slots(WorkerSettings.Slots settings, LongSupplier nanoTime) {
		this.count = settings.concurrency();
		this.nanoTime = nanoTime;
		this.movedNanos = nanoTime.getAsLong();
		this.threads = settings.virtualThreads()
				? new VirtualThreadTaskExecutor("jobqueue-slot-").getVirtualThreadFactory() : daemons();
	}

	/**
	 * A handler that never returns must not keep the JVM from ending.
	 */
	private static ThreadFactory daemons() {
		CustomizableThreadFactory factory = new CustomizableThreadFactory("jobqueue-slot-");
		factory.setDaemon(true);
		return factory;
	}

	/**
	 * Starts the threads.
	 * @param work runs the attempts
	 * @param noneWaits is told whenever the last attempt that waited is taken
	 */
	public void start(Work work, Runnable noneWaits) {
		for (int i = 0; i < this.count; i++) {
			startThread(work, noneWaits);
		}
	}

	/**
	 * Runs what waits, on this thread, instead of {@link #start}.
	 * @param work runs the attempts
	 */
	public void runWaiting(Work work) {
		for (Optional<Next> next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
			next.ifPresent((waiting) -> run(work, waiting));
		}
	}

	private void startThread(Work work, Runnable noneWaits) {
		this.threads.newThread(() -> run(work, noneWaits)).start();
	}

	public void add(Attempt attempt) {
		this.movedNanos = this.nanoTime.getAsLong();
		if (Chunk.isFor(attempt)) {
			this.chunks.computeIfAbsent(attempt.job().type(), (type) -> new ChunkQueue(this::offer, this.nanoTime))
				.add(attempt);
		}
		else {
			List<Attempt> alone = List.of(attempt);
			offer(() -> alone);
		}
	}

	private void offer(Next next) {
		this.waiting.add(Optional.of(next));
	}

	/**
	 * Whether no attempt was added or taken for two seconds. Those that wait, if any, do
	 * so behind slow ones.
	 */
	public boolean areStanding() {
		return this.nanoTime.getAsLong() - this.movedNanos > STANDING_NANOS;
	}

	/**
	 * How many there are.
	 */
	public int count() {
		return this.count;
	}

	/**
	 * Lets each thread end when it is next without work. None is interrupted: it may be
	 * in the middle of a commit. One whose handler never returns is left alone.
	 */
	public void stop() {
		this.waiting.clear();
		for (int i = 0; i < this.count; i++) {
			this.waiting.add(Optional.empty());
		}
	}

	private void run(Work work, Runnable noneWaits) {
		boolean more = true;
		while (more) {
			try {
				Optional<Next> next = this.waiting.take();
				this.movedNanos = this.nanoTime.getAsLong();
				if (this.waiting.isEmpty()) {
					ResilientThread.guarded("waking the poll loop", noneWaits);
				}
				more = next.isPresent() && (run(work, next.get())
						|| !ResilientThread.guarded("A slot's new thread", () -> startThread(work, noneWaits)));
			}
			catch (InterruptedException ex) {
				// A late interrupt of an attempt that has ended; there is more to do.
			}
			catch (Throwable ex) {
				ResilientThread.note("A slot", ex);
			}
		}
	}

	private boolean run(Work work, Next next) {
		List<Attempt> attempts = next.take();
		this.movedNanos = this.nanoTime.getAsLong();
		return switch (attempts.size()) {
			case 0 -> true;
			case 1 -> work.run(attempts.get(0));
			default -> work.runChunk(attempts);
		};
	}

	/**
	 * What waits for a slot.
	 */
	@FunctionalInterface
	interface Next {

		/**
		 * The attempts that one slot is to run together; none if others have taken them.
		 */
		List<Attempt> take();

	}

	/**
	 * What a slot does.
	 */
	@FunctionalInterface
	public interface Work {

		/**
		 * Runs an attempt.
		 * @param attempt the attempt
		 * @return whether the thread may run another
		 */
		boolean run(Attempt attempt);

		/**
		 * Runs attempts of one batch handler.
		 * @param attempts the attempts
		 * @return whether the thread may run others
		 */
		default boolean runChunk(List<Attempt> attempts) {
			return attempts.stream().map(this::run).reduce(true, (one, other) -> one && other);
		}

	}

}
