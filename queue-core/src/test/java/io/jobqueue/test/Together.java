package io.jobqueue.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs things on other threads and waits for them. What one of them throws, the caller
 * gets.
 */
public final class Together {

	private static final long PATIENCE_SECONDS = 300;

	private Together() {
	}

	/**
	 * Runs something on several threads that all start at one moment.
	 * @param <T> what each returns
	 * @param threads how many
	 * @param work what they do, given their numbers from 0
	 * @return what they returned, by their numbers
	 */
	public static <T> List<T> run(int threads, Work<T> work) {
		CyclicBarrier start = new CyclicBarrier(threads);
		List<Callable<T>> calls = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			int number = i;
			calls.add(() -> {
				start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
				return work.run(number);
			});
		}
		return all(calls);
	}

	/**
	 * Runs something on another thread, so that nothing that is bound to this one, like a
	 * transaction, has to do with it.
	 * @param <T> what it returns
	 * @param work what to do
	 * @return what it returned
	 */
	public static <T> T elsewhere(Callable<T> work) {
		return all(List.of(work)).get(0);
	}

	/**
	 * Runs different things at one moment.
	 * @param <T> what they return
	 * @param calls what to do, a thread for each
	 * @return what they returned, in the same order
	 */
	public static <T> List<T> run(List<Callable<T>> calls) {
		return run(calls.size(), (number) -> calls.get(number).call());
	}

	private static <T> List<T> all(List<Callable<T>> calls) {
		ExecutorService threads = Executors.newFixedThreadPool(calls.size());
		try {
			List<Future<T>> futures = calls.stream().map(threads::submit).toList();
			List<T> results = new ArrayList<>();
			for (Future<T> future : futures) {
				results.add(future.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
			}
			return results;
		}
		catch (ExecutionException ex) {
			throw new AssertionError("Failed on another thread: " + ex.getCause(), ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new AssertionError("Not done after " + PATIENCE_SECONDS + " s", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError("Interrupted", ex);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * What one of several threads does.
	 *
	 * @param <T> what it returns
	 */
	public interface Work<T> {

		T run(int number) throws Exception;

	}

}
