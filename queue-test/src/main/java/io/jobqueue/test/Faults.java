package io.jobqueue.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.LockWaits;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NamedThreadLocal;

/**
 * The faults that a test has asked for, each for the next run whose end is to be
 * committed. They are made by a view of the store that refuses that end.
 */
final class Faults {

	/** What each test thread has asked for. */
	private final ThreadLocal<Deque<Fault>> wanted = NamedThreadLocal.withInitial("faults of a test", ArrayDeque::new);

	void add(Fault fault) {
		this.wanted.get().add(fault);
	}

	void reset() {
		this.wanted.remove();
	}

	/**
	 * A view of a store, for one thread.
	 */
	View around(JobStore store) {
		return new View(store, this.wanted.get());
	}

	/**
	 * A store that refuses ends, and what follows from that.
	 */
	static final class View {

		private final JobStore store;

		private final Deque<Fault> wanted;

		private final Map<Claim, Fault> refused = new LinkedHashMap<>();

		private final JobStore proxy;

		View(JobStore store, Deque<Fault> wanted) {
			this.store = store;
			this.wanted = wanted;
			this.proxy = (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(),
					new Class<?>[] { JobStore.class }, (self, method, arguments) -> call(method, arguments));
		}

		JobStore store() {
			return this.proxy;
		}

		private @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
			if (!this.wanted.isEmpty() && arguments != null && arguments.length > 0) {
				Object answer = answer(method.getName(), arguments);
				if (answer != null) {
					return answer;
				}
			}
			return invoke(method, arguments);
		}

		private @Nullable Object invoke(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
			try {
				return method.invoke(this.store, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

		private @Nullable Object answer(String method, @Nullable Object[] arguments) {
			if (method.equals("ackInTransaction") && arguments[0] instanceof Claim claim) {
				refuse(claim);
				return false;
			}
			if (method.equals("ackInTransaction") && arguments[0] instanceof List<?> claims && !claims.isEmpty()) {
				Set<Claim> all = claims.stream().map(Claim.class::cast).collect(Collectors.toSet());
				Fault fault = this.wanted.remove();
				all.forEach((claim) -> this.refused.put(claim, fault));
				return all;
			}
			if (method.equals("finish") && arguments.length == 3 && arguments[0] instanceof Collection<?> finishes) {
				return finish(finishes, (LockWaits) arguments[1], (ClaimNext) arguments[2]);
			}
			return null;
		}

		/** Those that succeeded are refused, the others are not. */
		private @Nullable Object finish(Collection<?> finishes, @Nullable LockWaits waits, @Nullable ClaimNext next) {
			Set<Claim> acked = finishes.stream()
				.filter(Finish.Ack.class::isInstance)
				.map((finish) -> ((Finish) finish).claim())
				.collect(Collectors.toSet());
			if (acked.isEmpty() || waits == null || next == null) {
				return null;
			}
			Fault fault = this.wanted.remove();
			acked.forEach((claim) -> end(claim, fault));
			List<Finish> others = finishes.stream()
				.map(Finish.class::cast)
				.filter((finish) -> !acked.contains(finish.claim()))
				.toList();
			Finished rest = this.store.finish(others, waits, next);
			return new Finished(Stream.concat(rest.notWritten().stream(), acked.stream()).collect(Collectors.toSet()),
					rest.keys());
		}

		/** The handler's transaction is open, and is to be rolled back first. */
		private void refuse(Claim claim) {
			this.refused.put(claim, this.wanted.remove());
		}

		/**
		 * Does what follows for those that were refused in their handlers' transactions.
		 */
		void settle() {
			List<Map.Entry<Claim, Fault>> claims = new ArrayList<>(this.refused.entrySet());
			this.refused.clear();
			claims.forEach((entry) -> end(entry.getKey(), entry.getValue()));
		}

		private void end(Claim claim, Fault fault) {
			switch (fault) {
				case DELIVERED_TWICE -> this.store.finish(List.of(new Finish.Release(claim, Duration.ZERO)));
				case CRASH_BEFORE_ACK -> this.store.finish(List.of(new Finish.Rescue(claim,
						Failure.of(0, "crash", "The test has asked for a crash before the ack"))));
				case STALE_ACK -> this.store.cancel(claim.id());
			}
		}

	}

}
