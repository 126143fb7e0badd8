package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Jobs that a worker has no handler for: of a retired type, or of one that only newer
 * nodes know.
 */
@ForEachDatabase
class OthersJobsTests extends NodeTests {

	/** Nobody has taken them for hours. */
	private static final Instant LONG_AGO = Instant.now().minus(Duration.ofHours(3));

	private final Set<Long> ran = new ConcurrentSkipListSet<>();

	private final UnhandledTypes unhandled() {
		return new UnhandledTypes(this.node.store, this.node.stores.sessions(), Duration.ofSeconds(1));
	}

	private List<Long> enqueueOthers(int jobs, int types) {
		List<NewJob> all = new ArrayList<>();
		IntStream.range(0, jobs)
			.forEach((number) -> all.add(NewJob.of("other-" + number % types)
				.queue("queue-" + number % 3)
				.priority(number % 10)
				.availableAt(LONG_AGO.plusSeconds(number % 1_000))));
		return this.node.queue.enqueueAll(all);
	}

	private void awaitSortedOut() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.node.sql.queryForObject(
					"SELECT COUNT(*) FROM jobqueue_job WHERE type_id = 0 AND type LIKE 'other%'", Long.class) == 0);
	}

	@Test
	void costAnIdleWorkerNothing() {
		WatchedDataSource watched = new WatchedDataSource(this.node.dataSource);
		enqueueOthers(3_000, 200);
		try (TestNode idle = new TestNode(watched).handler("work", (payload, job) -> {
		}).start()) {
			assertThat(idle.worker().isRunning()).isTrue();
			awaitSortedOut();
			int before = watched.executed().size();
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> watched.executed().stream().skip(before).filter((one) -> isPoll(one.sql())).count() > 8);
			assertThat(watched.executed().stream().skip(before).map(WatchedDataSource.Executed::sql).toList())
				.as("nothing but polls, heartbeats, and what the session holds")
				.allMatch((sql) -> isPoll(sql) || sql.contains("jobqueue_session") || sql.contains("session_id = "));
		}
	}

	private static boolean isPoll(String sql) {
		return sql.startsWith("SELECT s.beats");
	}

	@Test
	void areStartedByANewNodeThatKnowsThem() {
		List<Long> ids = enqueueOthers(100, 2);
		this.node.handler("work", (payload, job) -> {
		}).start();
		awaitSortedOut();
		try (TestNode newer = anotherNode().handler("other-0", (payload, job) -> this.ran.add(job.id())).start()) {
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.ran.size() == 50);
			ids.stream().filter(this.ran::contains).forEach((id) -> newer.await(id, JobState.SUCCEEDED));
			assertThat(ids).allMatch((id) -> this.node.job(id).attempt() == (this.ran.contains(id) ? 1 : 0));
		}
	}

	/**
	 * Priority first, then time, as if they had never been sorted out.
	 */
	@Test
	void keepTheirOrder() {
		List<Long> later = enqueueOthers(30, 1);
		this.node.handler("work", (payload, job) -> {
		}).start();
		awaitSortedOut();
		List<Long> order = new ArrayList<>();
		try (TestNode newer = anotherNode().slots(1)
			.handler("other-0", (payload, job) -> order.add(job.id()))
			.start()) {
			newer.awaitEmpty();
		}
		assertThat(order).hasSize(30);
		assertThat(order.stream().map((id) -> this.node.job(id).priority())).isSortedAccordingTo((a, b) -> b - a);
		assertThat(later).containsAll(order);
	}

	@Test
	void doNotHoldUpJobsBesideThem() {
		enqueueOthers(5_000, 7);
		this.node.handler("work", (payload, job) -> this.ran.add(job.id())).start();
		long beside = this.node.queue.enqueue(NewJob.of("work").queue("queue-1").priority(4));
		this.node.await(beside, JobState.SUCCEEDED);
		awaitSortedOut();
		long later = this.node.queue.enqueue(NewJob.of("work").queue("queue-2").priority(1));
		this.node.await(later, JobState.SUCCEEDED);
	}

	/**
	 * A retry stays where its workers look for it.
	 */
	@Test
	void mayFailAndRunAgain() {
		List<Long> ids = enqueueOthers(20, 1);
		this.node.handler("work", (payload, job) -> {
		}).start();
		awaitSortedOut();
		try (TestNode newer = anotherNode().handler("other-0", (payload, job) -> {
			if (job.attempt() == 1) {
				throw new IllegalStateException("for a test");
			}
		}).start()) {
			ids.forEach((id) -> newer.await(id, JobState.SUCCEEDED));
		}
	}

	@Test
	void areToldOfIfNoLiveWorkerHandlesThem() {
		this.node.handler("work", (payload, job) -> {
		}).start();
		TestNode mailOnly = anotherNode();
		mailOnly.settings = new WorkerSettings("mail", List.of("mail"), mailOnly.settings.slots(), TestNode.QUICK);
		try (TestNode other = mailOnly.handler("letter", (payload, job) -> {
		}).start()) {
			assertThat(other.worker().isRunning()).isTrue();
			long letter = this.node.queue.enqueue(NewJob.of("letter").availableAt(LONG_AGO));
			this.node.queue.enqueue(NewJob.of("other-1").availableAt(LONG_AGO));
			awaitSortedOut();
			UnhandledTypes chore = unhandled();
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				chore.runOnce();
				assertThat(chore.current()).containsExactly("letter", "other-1");
			});
			long mail = this.node.queue.enqueue(NewJob.of("letter").queue("mail"));
			this.node.await(mail, JobState.SUCCEEDED);
			assertThat(this.node.job(letter).state()).isEqualTo(JobState.READY);
		}
	}

	/**
	 * Any program may write a type that no handler can have. Blanks at its end are none
	 * of it, where the database does not tell them.
	 */
	@Test
	void whateverTheirTypesAre() {
		List<String> types = List.of("tab\t", "line\n", "blanks  ", "retired");
		types.forEach((type) -> this.node.sql.update("INSERT INTO jobqueue_job (type, available_at) VALUES (?, ?)",
				type, "2020-01-01 00:00:00"));
		this.node.handler("work", (payload, job) -> {
		}).start();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE type_id = 0",
					Long.class) == 0);
		UnhandledTypes chore = unhandled();
		try (LogLines lines = LogLines.of(UnhandledTypes.class)) {
			chore.runOnce();
			assertThat(lines.messages()).as("it may be a worker's that comes back after an outage").isEmpty();
			chore.runOnce();
			chore.runOnce();
			assertThat(lines.messages()).filteredOn((line) -> line.contains("'retired'")).hasSize(1);
		}
		assertThat(chore.current()).contains("retired").hasSize(this.testDatabase.isH2() ? 1 : 2);
		assertThat(this.node.queue.redrive(null, null)).as("dead with their reason")
			.isEqualTo(this.testDatabase.isH2() ? 3 : 2);
	}

	/**
	 * Their rows may be locked, or their place in the archive, as by a report at
	 * REPEATABLE READ. The poll loop must not wait for either, nor take it for progress.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "jobqueue_job", "jobqueue_archive" })
	void thatCannotRunAreTriedAgainIfTheyCannotBeMadeDead(String locked) {
		assumeFalse(this.testDatabase.isH2(), "H2 locks no ranges, and does not know SKIP LOCKED here");
		this.node.sql.update("INSERT INTO jobqueue_job (type, available_at) VALUES ('bad type', '2020-01-01')");
		ReadyRange range = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ofSeconds(-10));
		Callable<Set<String>> sortOut = () -> this.node.store.sortOut(range, Set.of("work"), Duration.ofSeconds(5),
				100);
		transaction().executeWithoutResult((status) -> {
			this.node.sql.queryForList("SELECT id FROM " + locked + " FOR UPDATE");
			assertThat(Together.elsewhere(sortOut)).isEmpty();
		});
		assertThat(Together.elsewhere(sortOut)).containsExactly("bad type");
	}

	@Test
	void thatAreLockedAreNotMovedAndNotToldOf() {
		assumeFalse(this.testDatabase.isH2(), "H2 does not know SKIP LOCKED here");
		enqueueOthers(3, 1);
		ReadyRange range = new ReadyRange("queue-1", 1, 0, Degree.NONE, false, Duration.ofSeconds(-10));
		transaction().executeWithoutResult((status) -> {
			this.node.sql.queryForList("SELECT id FROM jobqueue_job FOR UPDATE");
			assertThat(Together.elsewhere(() -> this.node.store.sortOut(range, Set.of("work"), Duration.ZERO, 10)))
				.isEmpty();
		});
		assertThat(this.node.store.sortOut(range, Set.of("work"), Duration.ZERO, 10)).containsExactly("other-0");
	}

	/**
	 * Such a job is in no range that a worker reads.
	 */
	@Test
	void whoseNumberNoTypeHasAreToldOf() {
		this.node.sql.update("INSERT INTO jobqueue_job (type, type_id) VALUES ('work', 999)");
		UnhandledTypes chore = unhandled();
		chore.runOnce();
		assertThat(chore.current()).containsExactly("type_id 999");
	}

	/**
	 * Anybody may write a number.
	 */
	@Test
	void thatHaveTheNumberOfAnotherTypeAreLeftToThoseThatKnowThem() {
		this.node.handler("work", (payload, job) -> {
		}).start();
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
		int number = this.node.sql.queryForObject("SELECT id FROM jobqueue_type WHERE name = 'work'", Integer.class);
		long id = this.node.queue.enqueue("other");
		this.node.sql.update("UPDATE jobqueue_job SET type_id = ? WHERE id = ?", number, id);
		Awaitility.await()
			.until(() -> this.node.sql.queryForObject("SELECT fence FROM jobqueue_job WHERE id = ?", Long.class, id) > 0
					&& this.node.job(id).state() == JobState.READY);
		try (TestNode newer = anotherNode().handler("other", (payload, job) -> this.ran.add(job.id())).start()) {
			newer.await(id, JobState.SUCCEEDED);
		}
		assertThat(this.ran).containsExactly(id);
	}

	/**
	 * By an operator, or by a backup of which it was not part.
	 */
	@Test
	void standWhereTheyAreLookedForThoughTheTableOfTypesWasEmptied() {
		enqueueOthers(30, 3);
		this.node.handler("work", (payload, job) -> {
		}).start();
		try (TestNode running = anotherNode().handler("other-1", (payload, job) -> this.ran.add(job.id())).start()) {
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.ran.size() == 10);
			awaitSortedOut();
			this.node.sql.update("DELETE FROM jobqueue_type");
			enqueueOthers(30, 3);
			awaitSortedOut();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.ran.size() == 20);
			assertThat(running.worker().isRunning()).isTrue();
		}
		try (TestNode newer = anotherNode().handler("another", (payload, job) -> {
		}).handler("other-2", (payload, job) -> this.ran.add(job.id())).start()) {
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.ran.size() == 40);
			assertThat(newer.worker().isRunning()).isTrue();
		}
	}

	/**
	 * Claims read the newest first there, and those above it are in their way.
	 */
	@Test
	void inALifoQueueTheNewestAreSortedOut() {
		List<Long> own = this.node.queue.enqueueAll(IntStream.range(0, 20)
			.mapToObj((number) -> NewJob.of("work").availableAt(LONG_AGO.plusSeconds(number)))
			.toList());
		this.node.queue.enqueue(NewJob.of("other").availableAt(LONG_AGO.plusSeconds(100)));
		for (boolean lifo : new boolean[] { false, true }) {
			ReadyRange range = new ReadyRange("default", 4, 0, Degree.NONE, lifo, Duration.ofSeconds(-10));
			assertThat(this.node.store.sortOut(range, Set.of("work"), Duration.ZERO, own.size()))
				.isEqualTo(lifo ? Set.of("other") : Set.of());
		}
	}

	/**
	 * The database takes both for one type; handlers are found by the exact one.
	 */
	@Test
	void withBlanksAtTheEndAreDead() {
		this.node.sql.update("INSERT INTO jobqueue_job (type) VALUES ('work ')");
		long id = this.node.sql.queryForObject("SELECT MAX(id) FROM jobqueue_job", Long.class);
		this.node.handler("work", (payload, job) -> this.ran.add(job.id())).start();
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
		if (!this.testDatabase.isH2()) {
			this.node.await(id, JobState.DEAD);
			assertThat(this.node.job(id).lastError().orElseThrow().message()).contains("blanks");
		}
		assertThat(this.ran).doesNotContain(id);
	}

}
