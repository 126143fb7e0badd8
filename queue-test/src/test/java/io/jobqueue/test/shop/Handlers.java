package io.jobqueue.test.shop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.Backoff;
import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobBatch;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.Recurring;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Handlers of all kinds. */
@Component
public class Handlers {

	/** How large the chunks of the last tests were. */
	public final List<Integer> chunks = new ArrayList<>();

	private final Mailer mailer;

	private final JdbcClient sql;

	private final JobQueue jobs;

	private final Runnable fails;

	Handlers(Mailer mailer, JdbcClient sql, JobQueue jobs, PlatformTransactionManager transactions) {
		TransactionTemplate joined = new TransactionTemplate(transactions);
		this.fails = () -> joined.executeWithoutResult((status) -> {
			throw new IllegalStateException("marks the transaction as rollback-only");
		});
		this.mailer = mailer;
		this.sql = sql;
		this.jobs = jobs;
	}

	@JobHandler(value = "send-receipt", maxAttempts = 3, backoff = @Backoff(delay = "1m", jitter = 0))
	void send(Shop.Receipt receipt) {
		this.mailer.send(receipt.to());
	}

	@DeadJobHandler("send-receipt")
	void dead(Shop.Receipt receipt) {
		write("dead", receipt.order());
	}

	@JobHandler(value = "charge", transactional = true)
	void charge(Shop.Receipt receipt) {
		write("charge", receipt.order());
		this.mailer.send(receipt.to());
	}

	@JobHandler("in-order")
	void inOrder(String what) {
		this.mailer.send(what);
	}

	@JobHandler(value = "in-a-batch", batchSize = 5, transactional = true)
	void inABatch(JobBatch<Integer> batch) {
		this.chunks.add(batch.payloads().size());
		batch.payloads().forEach((value) -> write("batch", value));
	}

	@JobHandler(value = "limited", limit = "api")
	void limited(Integer value) {
		write("limited", value);
	}

	@JobHandler("nightly")
	@Recurring(cron = "0 0 3 * * *", zone = "UTC")
	void nightly(JobContext job) {
		write("nightly", job.scheduledFor().orElseThrow().getEpochSecond());
	}

	@JobHandler(value = "swallows", transactional = true)
	void swallows(Integer value) {
		write("swallows", value);
		try {
			this.fails.run();
		}
		catch (IllegalStateException ex) {
			write("swallowed", value);
		}
	}

	@JobHandler(value = "ping", maxAttempts = 5, backoff = @Backoff(delay = "30m", jitter = 0))
	@Recurring(every = "20m")
	void ping() {
		this.mailer.send("ping");
	}

	@JobHandler(value = "fails-soon", maxAttempts = 5, backoff = @Backoff(delay = "1m", jitter = 0))
	void failsSoon() {
		throw new IllegalStateException("on purpose");
	}

	@JobHandler(value = "fails-late", maxAttempts = 5, backoff = @Backoff(delay = "10m", jitter = 0))
	void failsLate() {
		throw new IllegalStateException("on purpose");
	}

	@JobHandler("first")
	void first(Integer value) {
		this.jobs.enqueue(NewJob.of("second", value).delay(Duration.ofHours(1)));
	}

	@JobHandler("second")
	void second(Integer value) {
		write("second", value);
	}

	@JobHandler("again")
	void again() {
		this.jobs.enqueue(NewJob.of("again"));
	}

	private void write(String what, long value) {
		this.sql.sql("INSERT INTO effects (what, amount) VALUES (?, ?)").param(what).param(value).update();
	}

}
