package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Thorough;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.dao.CannotAcquireLockException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What the application finds and changes by key, in bulk, and in time.
 */
@ForEachDatabase
class JobQueueCallsTests extends NodeTests {

	private static final Duration FAR = Duration.ofHours(5);

	private long keyed(String key) {
		return this.node.queue.enqueue(NewJob.of("mail").uniqueKey(key).delay(FAR));
	}

	@Test
	void aJobIsFoundByItsKey() {
		long id = keyed("a");
		keyed("b");
		assertThat(this.node.queue.findByKey("mail", "a").map(Job::id)).isEqualTo(Optional.of(id));
		assertThat(this.node.queue.findByKey("other", "a")).isEmpty();
		assertThat(this.node.queue.findByKey("mail", "A")).isEmpty();
		this.node.queue.cancel(id);
		assertThat(this.node.queue.findByKey("mail", "a").map(Job::state)).as("after its end")
			.isEqualTo(Optional.of(JobState.CANCELLED));
		transaction().executeWithoutResult((status) -> {
			long own = keyed("own");
			assertThat(this.node.queue.findByKey("mail", "own").map(Job::id)).isEqualTo(Optional.of(own));
			status.setRollbackOnly();
		});
		assertThat(this.node.queue.findByKey("mail", "own")).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.node.queue.findByKey("mail", ""));
		assertThatIllegalArgumentException().isThrownBy(() -> this.node.queue.findByKey("no type", "a"));
	}

	/** Its id may be another job's, after a TRUNCATE. */
	@Test
	void aJobThatHasGotTheIdOfAKeysJobIsNotFound() {
		long id = keyed("a");
		this.node.sql.update("DELETE FROM jobqueue_job");
		assertThat(this.node.queue.findByKey("mail", "a")).isEmpty();
		this.node.sql.update("INSERT INTO jobqueue_job (id, type) VALUES (?, 'other')", id);
		assertThat(this.node.queue.findByKey("mail", "a")).isEmpty();
		assertThat(this.node.queue.cancelByKey("mail", "a")).isFalse();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
	}

	@Test
	void anArchivedJobWhoseIdAnotherOneHasGotIsFoundByItsKey() {
		long id = keyed("a");
		this.node.queue.cancel(id);
		this.node.sql.update("INSERT INTO jobqueue_job (id, type) VALUES (?, 'other')", id);
		assertThat(this.node.queue.findByKey("mail", "a").map(Job::state)).isEqualTo(Optional.of(JobState.CANCELLED));
	}

	@Test
	void aJobIsCancelledByItsKey() {
		long id = keyed("a");
		assertThat(this.node.queue.cancelByKey("mail", "b")).isFalse();
		assertThat(this.node.queue.cancelByKey("mail", "a")).isTrue();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.CANCELLED);
		assertThat(this.node.queue.cancelByKey("mail", "a")).isFalse();
		assertThat(keyed("a")).as("the key stays taken").isEqualTo(id);
	}

	@Test
	void jobsAreCancelledInBulk() throws Exception {
		CountDownLatch started = new CountDownLatch(2);
		Set<Long> cancelled = new ConcurrentSkipListSet<>();
		this.node.slots(2).handler("mail", (payload, job) -> {
			started.countDown();
			while (!job.isCancelled()) {
				Thread.onSpinWait();
			}
			cancelled.add(job.id());
		}).start();
		List<Long> mail = this.node.queue
			.enqueueAll(IntStream.range(0, 450).mapToObj((i) -> NewJob.of("mail").queue("out")).toList());
		await(started);
		long otherType = this.node.queue.enqueue(NewJob.of("post").queue("out").delay(FAR));
		long otherQueue = this.node.queue.enqueue(NewJob.of("mail").queue("in").delay(FAR));
		assertThat(this.node.queue.cancelAll("out", "mail")).isEqualTo(450);
		assertThat(mail).allMatch((id) -> this.node.job(id).state() == JobState.CANCELLED);
		Awaitility.await().until(() -> cancelled.size() >= 2 && this.node.worker().health().held() == 0);
		assertThat(this.node.job(otherType).state()).isEqualTo(JobState.READY);
		assertThat(this.node.queue.cancelAll("in", null)).isOne();
		assertThat(this.node.job(otherQueue).state()).isEqualTo(JobState.CANCELLED);
		assertThat(this.node.queue.cancelAll(null, "post")).isOne();
		assertThat(this.node.queue.cancelAll(null, "post")).isZero();
		assertThatIllegalArgumentException().isThrownBy(() -> this.node.queue.cancelAll(null, null));
		assertThatIllegalArgumentException().isThrownBy(() -> this.node.queue.cancelAll("no queue", null));
	}

	/**
	 * Locks a job until the latch opens.
	 * @return the thread that holds the lock
	 */
	private Thread lock(long id, CountDownLatch free) throws InterruptedException {
		CountDownLatch locked = new CountDownLatch(1);
		Thread holder = new Thread(() -> transaction().executeWithoutResult((status) -> {
			this.node.sql.queryForList("SELECT id FROM jobqueue_job WHERE id = ? FOR UPDATE", id);
			locked.countDown();
			awaitUninterruptibly(free);
		}));
		holder.start();
		await(locked);
		return holder;
	}

	@Test
	void aJobThatSomebodyHasLockedIsCancelledOnceItIsFree() throws Exception {
		List<Long> ids = List.of(this.node.queue.enqueue(NewJob.of("mail").delay(FAR)),
				this.node.queue.enqueue(NewJob.of("mail").delay(FAR)));
		CountDownLatch free = new CountDownLatch(1);
		Thread holder = lock(ids.get(0), free);
		Thread later = new Thread(() -> {
			Awaitility.await().until(() -> this.node.job(ids.get(1)).state() == JobState.CANCELLED);
			free.countDown();
		});
		later.start();
		assertThat(this.node.queue.cancelAll(null, "mail")).isEqualTo(2);
		later.join();
		holder.join();
	}

	@Test
	void aJobThatStaysLockedKeepsNoOtherFromBeingCancelled() throws Exception {
		Thorough.unlessOnMySql(this.testDatabase);
		List<Long> ids = this.node.queue
			.enqueueAll(IntStream.range(0, 3).mapToObj((i) -> NewJob.of("mail").delay(FAR)).toList());
		CountDownLatch free = new CountDownLatch(1);
		Thread holder = lock(ids.get(0), free);
		try {
			assertThatExceptionOfType(CannotAcquireLockException.class)
				.isThrownBy(() -> this.node.queue.cancelAll(null, "mail"))
				.withMessageContaining("1 job(s) are locked")
				.withMessageContaining("2 others were cancelled");
		}
		finally {
			free.countDown();
			holder.join();
		}
		assertThat(ids).extracting((id) -> this.node.job(id).state())
			.containsExactly(JobState.READY, JobState.CANCELLED, JobState.CANCELLED);
	}

	@Test
	void aWaitingJobIsRescheduled() {
		Set<Long> ran = new ConcurrentSkipListSet<>();
		this.node.handler("mail", (payload, job) -> ran.add(job.id())).start();
		long id = this.node.queue.enqueue(NewJob.of("mail").delay(FAR));
		Instant later = this.node.job(id).availableAt().plus(FAR);
		assertThat(this.node.queue.reschedule(id, later)).isTrue();
		assertThat(this.node.job(id).availableAt()).isEqualTo(later);
		assertThat(this.node.queue.reschedule(id, Instant.EPOCH)).isTrue();
		Job job = this.node.await(id, JobState.SUCCEEDED);
		assertThat(job.availableAt()).as("a time that is over means at once").isAfter(Instant.EPOCH.plus(FAR));
		assertThat(ran).containsExactly(id);
		assertThat(this.node.queue.reschedule(id, later)).as("has ended").isFalse();
		assertThat(this.node.queue.reschedule(-1, later)).isFalse();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.node.queue.reschedule(id, Instant.parse("9000-01-01T00:00:01Z")));
	}

	@Test
	void aRunningJobIsNotRescheduled() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		this.node.handler("mail", (payload, job) -> {
			started.countDown();
			await(end);
		}).start();
		long id = this.node.queue.enqueue("mail");
		await(started);
		assertThat(this.node.queue.reschedule(id, Instant.now().plus(FAR))).isFalse();
		end.countDown();
		this.node.await(id, JobState.SUCCEEDED);
	}

	@Test
	void aRescheduledJobHasAnotherFence() {
		long id = this.node.queue.enqueue(NewJob.of("mail").delay(FAR));
		long before = fence(id);
		this.node.queue.reschedule(id, Instant.now().plus(FAR));
		assertThat(fence(id)).isEqualTo(before + 1);
	}

	private long fence(long id) {
		return this.node.sql.queryForObject("SELECT fence FROM jobqueue_job WHERE id = ?", Long.class, id);
	}

	@Test
	void aJobSaysHowManyAttemptsItReallyHas() {
		long unknown = this.node.queue.enqueue(NewJob.of("nobodys").delay(FAR));
		assertThat(this.node.job(unknown).maxAttempts()).isZero();
		this.node.handler("mail", (payload, job) -> {
			throw new IllegalStateException("fails always");
		}).start();
		Job dead = this.node.await(this.node.queue.enqueue("mail"), JobState.DEAD);
		assertThat(dead.attempt()).isEqualTo(3);
		assertThat(dead.maxAttempts()).as("as its handler says").isEqualTo(3);
		assertThat(this.node.queue.find(this.node.queue.enqueue(NewJob.of("mail").maxAttempts(7).delay(FAR)))
			.orElseThrow()
			.maxAttempts()).isEqualTo(7);
	}

}
