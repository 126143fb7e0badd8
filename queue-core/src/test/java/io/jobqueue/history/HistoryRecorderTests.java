package io.jobqueue.history;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.HistoryCounts.Most;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;
import io.jobqueue.store.Queues;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What a node counts, and what becomes of it if it cannot be written.
 */
class HistoryRecorderTests {

	private final HistoryRecorder recorder = new HistoryRecorder(3);

	private final Store store = new Store();

	private final HistoryWriter writer = new HistoryWriter(this.recorder, this.store, Duration.ofDays(90),
			Clock.systemUTC());

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
			.containsExactlyInAnyOrder(tuple("a", 2L), tuple("b", 1L), tuple("c", 1L), tuple("*", 2L));
	}

	@Test
	void eachMinuteHasRoomForOthers() {
		List.of("a", "b", "c").forEach(this::enqueue);
		this.recorder.take();
		List.of("d", "e", "f").forEach(this::enqueue);
		assertThat(this.recorder.take()).extracting(HistoryRow::type).containsExactlyInAnyOrder("d", "e", "f");
	}

	@Test
	void anEmptyQueueHasNothingToTellOf() {
		this.recorder.measured(List.of(depth("empty", 0, 0), depth("full", 7, 4)));
		this.recorder.measured(List.of(depth("full", 5, 9), depth("other", 1, 1)));
		assertThat(this.recorder.take()).extracting(HistoryRow::queue, HistoryRow::type, (row) -> row.counts().most())
			.containsExactlyInAnyOrder(tuple("full", "", new Most(7, 9)), tuple("other", "", new Most(1, 1)),
					tuple("", "", new Most(7, 9)));
	}

	@Test
	void ofManyQueuesThoseWithMostToDoAreToldApart() {
		this.recorder.measured(List.of(depth("a", 1, 1), depth("b", 2, 2), depth("c", 3, 3), depth("d", 4, 4)));
		assertThat(this.recorder.take()).extracting(HistoryRow::queue, (row) -> row.counts().most())
			.containsExactlyInAnyOrder(tuple("d", new Most(4, 4)), tuple("c", new Most(3, 3)),
					tuple("b", new Most(2, 2)), tuple("*", new Most(1, 1)), tuple("", new Most(10, 4)));
	}

	private static Queues.Depth depth(String queue, int ready, int seconds) {
		return new Queues.Depth(queue, false, false, QueueMode.STANDARD, ready, 0, 0, 0, 0,
				Duration.ofSeconds(seconds));
	}

	/**
	 * Who counts may be stopped for less than a minute between two steps; here a minute
	 * has 200 ms.
	 */
	@Test
	void threadsThatCountWhileItIsTakenLoseNothing() throws Exception {
		AtomicBoolean stopped = new AtomicBoolean();
		AtomicLong counted = new AtomicLong();
		List<Thread> threads = IntStream.range(0, 4).mapToObj((number) -> new Thread(() -> {
			while (!stopped.get()) {
				enqueue("a");
				counted.incrementAndGet();
			}
		})).toList();
		threads.forEach(Thread::start);
		long taken = 0;
		for (int minute = 0; minute < 4; minute++) {
			Thread.sleep(200);
			taken += enqueued(this.recorder.take());
		}
		stopped.set(true);
		for (Thread thread : threads) {
			thread.join();
		}
		taken += enqueued(this.recorder.take());
		taken += enqueued(this.recorder.take());
		assertThat(taken).isEqualTo(counted.get());
	}

	private static long enqueued(List<HistoryRow> rows) {
		return rows.stream().mapToLong((row) -> row.counts().enqueued()).sum();
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
	void whatIsRefusedDoesNotKeepTheNextFromBeingWritten() {
		enqueue("a");
		this.store.failure = new DataIntegrityViolationException("out of range");
		this.writer.write();
		this.store.failure = null;
		enqueue("b");
		this.writer.write();
		assertThat(this.store.written).extracting(HistoryRow::type).containsExactly("b");
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
		public void add(List<HistoryRow> rows, Supplier<Duration> ago) {
			if (this.failure != null) {
				throw this.failure;
			}
			this.written.addAll(rows);
		}

		@Override
		public HistoryPoint.Line line(HistoryRange range) {
			return new HistoryPoint.Line(Instant.EPOCH, List.of());
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
