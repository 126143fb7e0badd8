package io.jobqueue.worker.run;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.jobqueue.observe.Observed;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.Handler.ChunkItem;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.run.RunUnit.HandlerCall;
import io.jobqueue.worker.run.RunUnit.Ran;

import org.jspecify.annotations.Nullable;

/**
 * Runs handlers: finds the payload, puts the interceptors around the call, and runs that
 * in the handler's unit.
 */
public final class HandlerRuns {

	private final ClaimStore store;

	private final HandlerTransaction transactional;

	private final List<RunInterceptor> interceptors;

	private final QueueObserver observer;

	HandlerRuns(ClaimStore store, HandlerTransaction transactional, List<RunInterceptor> interceptors,
			QueueObserver observer) {
		this.store = store;
		this.transactional = transactional;
		this.interceptors = List.copyOf(interceptors);
		this.observer = observer;
	}

	/**
	 * Creates the means to run handlers.
	 * @param store where large payloads are
	 * @param transactional the unit of transactional handlers
	 * @param listener who is told of starts
	 * @param extensions what the application has around the calls
	 * @param nanoTime the monotonic clock
	 * @return the means
	 */
	public static HandlerRuns of(ClaimStore store, HandlerTransaction transactional, WorkerListener listener,
			Extensions extensions, LongSupplier nanoTime) {
		return new HandlerRuns(store, transactional, List.of(new TellStart(listener, nanoTime),
				new LeftOpenTransactions(), new ApplicationInterceptors(extensions.interceptors())),
				extensions.observer());
	}

	/**
	 * Has the run of a handler watched that is about to begin.
	 * @param attempt its attempt
	 * @return what is told of the end
	 */
	Observed observed(Attempt attempt) {
		if (this.observer == QueueObserver.NONE) {
			return Observed.NONE;
		}
		if (!attempt.job().isRunInTransaction()) {
			return this.observer.process(processed(attempt));
		}
		LateObserved observed = new LateObserved(() -> this.observer.process(processed(attempt)));
		attempt.marks().onCall(observed::begin);
		return observed;
	}

	/**
	 * Has the call of a batch handler watched that is about to begin.
	 * @param chunk its attempts
	 * @return what is told of the end
	 */
	Observed observed(Chunk chunk) {
		return (this.observer != QueueObserver.NONE)
				? this.observer.processChunk(chunk.attempts().stream().map(HandlerRuns::processed).toList())
				: Observed.NONE;
	}

	private static QueueObserver.Processed processed(Attempt attempt) {
		return new QueueObserver.Processed(RunningJob.of(attempt), attempt.job().trace());
	}

	/**
	 * Runs the handler of an attempt that has started.
	 * @param attempt the attempt
	 * @return what became of the claim
	 * @throws Exception why the attempt failed
	 */
	Ran run(Attempt attempt) throws Exception {
		Handler handler = attempt.handler();
		ClaimedJob job = attempt.job();
		RunningJob context = RunningJob.of(attempt);
		// Read when the job is surely this attempt's: a failure has to count.
		HandlerCall call = RunInterceptor.chain(this.interceptors, attempt,
				() -> handler.invocation().invoke(payload(job), context));
		RunUnit unit = (handler.transactional() || job.isRunInTransaction()) ? this.transactional : RunUnit.PLAIN;
		return unit.run(attempt, call);
	}

	/**
	 * Reads what a batch handler is to get of an attempt that has started.
	 * @throws Exception why the attempt failed
	 */
	Read read(Attempt attempt) throws Exception {
		String payload = payload(attempt.job());
		Object item = chunksOf(attempt).read(payload);
		return new Read(new ChunkItem(item, RunningJob.of(attempt)), (payload != null) ? payload.length() : 0);
	}

	/**
	 * Runs a batch handler.
	 * @param chunk attempts that have started
	 * @param items what it is to get of them, in the same order
	 * @return what became of the claims
	 * @throws Exception why the call failed; nothing is committed then, unless that is
	 * unknown
	 */
	ChunkEnd run(Chunk chunk, List<ChunkItem> items) throws Exception {
		Attempt first = chunk.attempts().get(0);
		HandlerCall call = RunInterceptor.chain(this.interceptors, first, () -> chunksOf(first).invoke(items));
		if (!first.handler().transactional()) {
			call.run();
			return ChunkEnd.RETURNED;
		}
		Set<Claim> stale = new HashSet<>();
		Ran ran = this.transactional.run(chunk,
				() -> IntStream.range(0, items.size())
					.filter((index) -> items.get(index).failure() == null)
					.mapToObj((index) -> chunk.attempts().get(index).claim())
					.toList(),
				stale::addAll, call);
		return new ChunkEnd(ran == Ran.ACKED, stale);
	}

	/**
	 * Leaves jobs to this worker for as long as it lives.
	 */
	void dropDeadlines(List<Claim> claims) {
		this.store.dropDeadlines(claims);
	}

	private static Handler.ChunkInvocation chunksOf(Attempt attempt) {
		return (Handler.ChunkInvocation) attempt.handler().invocation();
	}

	private @Nullable String payload(ClaimedJob job) {
		return job.payload().large() ? largePayload(job) : job.payload().text();
	}

	/**
	 * Reads a large payload. If it is not found, the attempt fails and another follows:
	 * the payload may have been moved, or the server that answered may lag behind.
	 */
	private String largePayload(ClaimedJob job) {
		String payload = this.store.payload(job.claim().id());
		if (payload == null) {
			throw new IllegalStateException("The job's payload is not in the database");
		}
		return payload;
	}

	/**
	 * What was read of a job.
	 *
	 * @param item what its handler is to get
	 * @param chars how long its payload is
	 */
	record Read(ChunkItem item, int chars) {

	}

	/**
	 * What became of the claims of a chunk whose handler has returned.
	 *
	 * @param isAcked whether they have ended, but for those that were marked as failed
	 * @param stale those that were not current any more, so that all was rolled back
	 */
	record ChunkEnd(boolean isAcked, Set<Claim> stale) {

		/** Nothing yet. */
		static final ChunkEnd RETURNED = new ChunkEnd(false, Set.of());

		/** Whether their ends are still to be reported. */
		boolean isUndecided() {
			return !this.isAcked && this.stale.isEmpty();
		}

	}

}
