package io.jobqueue.neighbour;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;

import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/**
 * What the applications have in common: a service that enqueues in its transaction, and a
 * transactional handler.
 */
public class Business {

	/** How many runs of the handler are to fail after they have written. */
	private final AtomicInteger toFail = new AtomicInteger();

	private final Ledger ledger;

	private final JobQueue jobs;

	Business(Ledger ledger, JobQueue jobs) {
		this.ledger = ledger;
		this.jobs = jobs;
	}

	public void failNext(int runs) {
		this.toFail.set(runs);
	}

	@Transactional
	public void place(long id, boolean fails) {
		this.ledger.add(id);
		this.jobs.enqueue(NewJob.of("book", id));
		if (fails) {
			throw new IllegalStateException("no stock");
		}
	}

	@JobHandler(value = "book", transactional = true)
	void book(Long id) {
		if (!this.ledger.contains(id)) {
			throw new IllegalStateException("The handler does not see what was written with its job");
		}
		this.ledger.add(-id);
		this.jobs.enqueue(NewJob.of("booked", id));
		if (this.toFail.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			throw new IllegalStateException("on purpose");
		}
	}

	@JobHandler("booked")
	void booked(Long id) {
		if (!this.ledger.contains(-id)) {
			throw new IllegalStateException("Enqueued by a handler that was rolled back");
		}
	}

	/** Adds it to a small application. */
	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@Import(Business.class)
	@interface Enable {

	}

}
