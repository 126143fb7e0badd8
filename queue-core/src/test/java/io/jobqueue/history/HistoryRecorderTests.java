package io.jobqueue.history;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.jobqueue.NewJob;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.HistoryCounts;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What a node counts, and what becomes of it if it cannot be written.
 */
class HistoryRecorderTests {

	private final HistoryRecorder recorder = new HistoryRecorder(3);

	private final Store store = new Store();

	private final HistoryWriter writer = new HistoryWriter(this.recorder, this.store, Clock.systemUTC());

	private void enqueue(String type) {
		this.recorder.enqueued(List.of(new EnqueuedJob(NewJob.of(type), null)));
	}

	@Test
	void whatWasTakenIsNotTakenAgain() {
		enqueue("a");
		assertThat(this.recorder.take()).singleElement()
			.satisfies((row) -> assertThat(row.counts().enqueued()).isEqualTo(1));
		assertThat(this.recorder.take()).isEmpty();
	}

	@Test
	void onlySoManyPairsAreToldApart() {
		for (String type : List.of("a", "b", "c", "d", "e", "a")) {
			enqueue(type);
		}
		assertThat(this.recorder.take()).extracting(HistoryRow::type, (row) -> row.counts().enqueued())
			.containsExactlyInAnyOrder(tuple("a", 2L),
					tuple("b", 1L), tuple("c", 1L),
					tuple("", 2L));
	}

	@Test
	void aPairToWhichNothingHappensForAMinuteMakesRoom() {
		List.of("a", "b", "c").forEach(this::enqueue);
		this.recorder.take();
		this.recorder.take();
		enqueue("d");
		assertThat(this.recorder.take()).extracting(HistoryRow::type).containsExactly("d");
	}

	@Test
	void anEmptyQueueHasNothingToTellOf() {
		this.recorder.depth("empty", 0, Duration.ZERO);
		this.recorder.depth("full", 7, Duration.ofSeconds(9));
		this.recorder.depth("full", 5, Duration.ofSeconds(4));
		assertThat(this.recorder.take()).singleElement().satisfies((row) -> {
			assertThat(row.queue()).isEqualTo("full");
			assertThat(row.counts()).extracting(HistoryCounts::ready, HistoryCounts::oldestSeconds)
				.containsExactly(7L, 9L);
		});
	}

	@Test
	void threadsThatCountAtOnceLoseNothing() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		List<Thread> threads = IntStream.range(0, 4).mapToObj((number) -> new Thread(() -> {
			await(go);
			for (int job = 0; job < 10_000; job++) {
				enqueue("a");
			}
		})).toList();
		threads.forEach(Thread::start);
		go.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(this.recorder.take()).singleElement()
			.satisfies((row) -> assertThat(row.counts().enqueued()).isEqualTo(40_000));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void whatCannotBeWrittenIsWrittenLater() {
		List.of("a", "b", "c", "d").forEach(this::enqueue);
		this.store.failure = new DataAccessResourceFailureException("the database is away");
		this.writer.write();
		enqueue("a");
		this.writer.write();
		this.store.failure = null;
		this.writer.write();
		assertThat(this.store.written).hasSize(4);
		assertThat(this.store.written.stream().mapToLong((row) -> row.counts().enqueued()).sum()).isEqualTo(5);
	}

	@Test
	void whatMayHaveBeenWrittenIsNotWrittenAgain() {
		enqueue("a");
		this.store.failure = new UnknownOutcomeException("no answer", new IllegalStateException());
		this.writer.write();
		this.store.failure = null;
		this.writer.write();
		assertThat(this.store.written).isEmpty();
	}

	@Test
	void theLastMinuteIsWrittenAtTheStop() {
		this.writer.start();
		assertThat(this.writer.isRunning()).isTrue();
		enqueue("a");
		this.writer.stop();
		assertThat(this.writer.isRunning()).isFalse();
		assertThat(this.store.written).hasSize(1);
	}

	private static final class Store implements HistoryStore {

		private final List<HistoryRow> written = new ArrayList<>();

		private @Nullable RuntimeException failure;

		@Override
		public void add(List<HistoryRow> rows) {
			if (this.failure != null) {
				throw this.failure;
			}
			this.written.addAll(rows);
		}

		@Override
		public List<HistoryPoint> points(HistoryRange range) {
			return List.of();
		}

		@Override
		public List<HistoryRow> sums(HistoryRange range, int limit) {
			return this.written;
		}

		@Override
		public int thin() {
			return 0;
		}

		@Override
		public int prune(Duration keep) {
			return 0;
		}

	}

}
