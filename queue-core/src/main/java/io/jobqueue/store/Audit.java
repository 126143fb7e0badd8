package io.jobqueue.store;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.jobqueue.AuditEntry.Outcome;
import io.jobqueue.AuditEntry.Source;
import io.jobqueue.AuditEntry;
import io.jobqueue.AuditLog;
import io.jobqueue.CurrentActor;
import io.jobqueue.UnknownOutcomeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what operators do, before it is done: what cannot be written is not done.
 */
public class Audit implements AuditLog {

	private static final Logger log = LoggerFactory.getLogger(Audit.class);

	private static final int MOST = 1_000;

	private static final int MAX_PROBLEM = 1_000;

	private final @Nullable AuditStore store;

	private final CurrentActor actor;

	/** Who acts on this thread, if that is not the application. */
	private final ThreadLocal<Origin> origin = ThreadLocal.withInitial(() -> Origin.APPLICATION);

	/** What is done as a part of something else is written down with that. */
	private final ThreadLocal<Boolean> inAction = ThreadLocal.withInitial(() -> false);

	/**
	 * Creates an audit.
	 * @param store where it is written; null for nowhere
	 * @param actor who is at work
	 */
	public Audit(@Nullable AuditStore store, CurrentActor actor) {
		this.store = store;
		this.actor = actor;
	}

	/**
	 * One that writes nothing.
	 */
	public static Audit none() {
		return new Audit(null, CurrentActor.UNKNOWN);
	}

	/**
	 * Who is at work on this thread.
	 * @return the name; empty if nobody is known
	 */
	public String actor() {
		return Texts.shortened(this.actor.name().orElse(this.origin.get().user()), AuditStore.What.MAX_NAME);
	}

	/**
	 * Does something that does not come from the application's code.
	 * @param <T> what it returns
	 * @param from where it comes from
	 * @param work the work, on this thread
	 * @return what it returned
	 */
	public <T> T from(Source from, Supplier<T> work) {
		return from(from, "", work);
	}

	/**
	 * Does something that does not come from the application's code.
	 * @param <T> what it returns
	 * @param from where it comes from
	 * @param user who is at work, if the {@link CurrentActor} does not know; empty if
	 * nobody does
	 * @param work the work, on this thread
	 * @return what it returned
	 */
	public <T> T from(Source from, String user, Supplier<T> work) {
		Origin before = this.origin.get();
		this.origin.set(new Origin(from, user));
		try {
			return work.get();
		}
		finally {
			if (before == Origin.APPLICATION) {
				this.origin.remove();
			}
			else {
				this.origin.set(before);
			}
		}
	}

	/**
	 * Does something that is written down if it comes from an operator, and is the
	 * application's own business else.
	 * @param <T> what it returns
	 * @param action what
	 * @param target to what
	 * @param work does it
	 * @param changed how much was changed; null if that is not known
	 * @return what the work returned
	 */
	public <T> T ofOperator(String action, String target, Supplier<T> work, Function<T, @Nullable Long> changed) {
		return (this.origin.get().source() == Source.API) ? work.get() : of(action, target, work, changed);
	}

	/**
	 * Does something and writes it down, whoever does it.
	 * @param <T> what it returns
	 * @param action what
	 * @param target to what
	 * @param work does it
	 * @param changed how much was changed; null if that is not known
	 * @return what the work returned
	 */
	public <T> T of(String action, String target, Supplier<T> work, Function<T, @Nullable Long> changed) {
		return (this.store != null && !this.inAction.get()) ? by(actor(), action, target, work, changed) : work.get();
	}

	/**
	 * Does something for somebody who is known, and writes it down.
	 * @param <T> what it returns
	 * @param actor who
	 * @param action what
	 * @param target to what
	 * @param work does it
	 * @param changed how much was changed; null if that is not known
	 * @return what the work returned
	 */
	public <T> T by(String actor, String action, String target, Supplier<T> work, Function<T, @Nullable Long> changed) {
		AuditStore there = this.store;
		if (there == null || this.inAction.get()) {
			return work.get();
		}
		long id = there.begin(new AuditStore.What(actor, this.origin.get().source(), action, target));
		this.inAction.set(true);
		try {
			T result = work.get();
			end(there, id, Outcome.DONE, changed.apply(result), "");
			return result;
		}
		catch (UnknownOutcomeException ex) {
			// It may have been done: what has come of it stays unknown.
			end(there, id, Outcome.BEGUN, null, problem(ex));
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			end(there, id, Outcome.FAILED, null, problem(ex));
			throw ex;
		}
		finally {
			this.inAction.remove();
		}
	}

	private static void end(AuditStore store, long id, Outcome outcome, @Nullable Long changed, String problem) {
		try {
			store.end(id, outcome, changed, problem);
		}
		catch (RuntimeException ex) {
			log.warn("What has come of the audit's entry {} could not be written: {}, {}", id, outcome, ex.toString());
		}
	}

	private static String problem(Throwable failure) {
		return Texts.shortened(failure.toString(), MAX_PROBLEM);
	}

	@Override
	public List<AuditEntry> list(@Nullable Long before, int limit) {
		if (limit < 1 || limit > MOST) {
			throw new IllegalArgumentException("limit must be from 1 to " + MOST + ", but is " + limit);
		}
		return (this.store != null) ? this.store.list(before, limit) : List.of();
	}

	/**
	 * Where what is done on a thread comes from.
	 */
	private record Origin(Source source, String user) {

		static final Origin APPLICATION = new Origin(Source.API, "");

	}

}
