package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import io.jobqueue.test.Pruning;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * While one worker's transaction is about to commit, with every lock that it takes still
 * held, the others go on without waiting for it.
 */
class MidTransactionTests extends NobodyWaitsTests {

	static Stream<Named<BiConsumer<JdbcJobStore, World>>> transactions() {
		return Stream.of(Named.of("claim", (store, world) -> claimSome(store)),
				Named.of("finish", (store, world) -> assertThat(store.finish(mixed(world.theirRunning()))).isEmpty()),
				Named.of("finish what is not locked",
						(store, world) -> assertThat(store.finish(mixed(world.theirRunning()))).isEmpty()),
				Named.of("cancel",
						(store, world) -> assertThat(store.cancel(world.theirRunning().get(0).id())).isTrue()),
				Named.of("redrive", (store, world) -> assertThat(store.redrive(world.theirDead())).isEqualTo(50)),
				Named
					.of("prune",
							(store, world) -> assertThat(
									Pruning.prune(store, JobState.SUCCEEDED, Duration.ofDays(1), 100))
								.isEqualTo(20)),
				Named.of("expire", (store, world) -> assertThat(store.expire(null, 100).changed()).isEqualTo(10)),
				Named.of("enqueue", (store, world) -> store.enqueue(IntStream.range(0, 60)
					.mapToObj((number) -> text(NewJob.of("any", "x".repeat(number * 100)).uniqueKey("k" + number)))
					.toList())));
	}

	@ParameterizedTest
	@MethodSource("transactions")
	void othersGoOnWhileOneIsInTheMiddleOf(BiConsumer<JdbcJobStore, World> transaction) {
		World world = createWorld();
		WatchedDataSource watched = new WatchedDataSource(schema().dataSource());
		JdbcJobStore other = new JdbcJobStore(new Database(watched), StoreSettings.DEFAULT);
		AtomicInteger commits = new AtomicInteger();
		watched.beforeCommit((connection) -> {
			commits.incrementAndGet();
			Together.elsewhere(() -> {
				goOn(world);
				return commits;
			});
		});
		transaction.accept(other, world);
		assertThat(commits).hasValue(1);
	}

	@Test
	void othersGoOnWhileACallersTransactionThatHasEnqueuedStaysOpen() {
		World world = createWorld();
		JdbcJobStore other = new JdbcJobStore(new Database(schema().dataSource()), StoreSettings.DEFAULT);
		transaction(schema().dataSource()).executeWithoutResult((status) -> {
			other.enqueue(IntStream.range(0, 600)
				.mapToObj((number) -> text(NewJob.of("any").priority(number % 10).uniqueKey("k" + number)))
				.toList());
			Together.elsewhere(() -> {
				goOn(world);
				return world;
			});
		});
	}

	private void goOn(World world) {
		assertThat(this.store.finish(mixed(world.ourRunning()))).isEmpty();
		assertThat(this.store.redrive(world.ourDead())).isEqualTo(50);
		assertThat(Pruning.prune(this.store, JobState.SUCCEEDED, Duration.ZERO, 100)).isPositive();
		assertThat(claimSome(this.store)).isNotEmpty();
		List<Long> enqueued = enqueue(5);
		long keyed = enqueue(NewJob.of("any").uniqueKey("fresh"));
		assertThat(this.store.cancel(enqueued.get(0))).isTrue();
		assertThat(this.store.cancel(-1)).isFalse();
		assertThat(enqueue(NewJob.of("any").uniqueKey("fresh"))).isEqualTo(keyed);
		this.store.expire(null, 100);
		this.store.pruneUniqueKeys(null, 100);
		assertThat(this.store.overdue(0, 10)).isNotEmpty();
		assertThat(this.store.heldBy(SESSION, false)).isNotEmpty();
		assertThat(this.store.ready(0, Set.of(), false).ranges()).isNotEmpty();
		this.queues.setPaused("other", true);
		assertThat(this.queues.depths()).isNotEmpty();
	}

	/**
	 * Neighbours in every table: each second job is the other worker's.
	 */
	private World createWorld() {
		enqueue(440);
		List<Claim> claims = claim(340).stream().map(ClaimedJob::claim).toList();
		List<Claim> dead = claims.subList(200, 300);
		List<Claim> succeeded = claims.subList(300, 340);
		this.store.finish(dead.stream().map((claim) -> new Finish.DeadLetter(claim, failure())).toList());
		this.store.finish(succeeded.stream().map(Finish.Ack::new).toList());
		for (int i = 0; i < 40; i += 2) {
			this.rows.setArchived(succeeded.get(i).id(), "finished_at = TIMESTAMPADD(DAY, -2, {now})");
		}
		this.rows.sql("""
				UPDATE jobqueue_job SET expires_at = TIMESTAMPADD(SECOND, -1, {now})
				WHERE state = 0
				ORDER BY id DESC
				LIMIT 10""").update();
		return new World(half(claims.subList(0, 200), 0), half(claims.subList(0, 200), 1),
				half(dead, 0).stream().map(Claim::id).toList(), half(dead, 1).stream().map(Claim::id).toList());
	}

	private static List<Claim> half(List<Claim> all, int start) {
		return IntStream.range(0, all.size() / 2).mapToObj((i) -> all.get(2 * i + start)).toList();
	}

	private static List<ClaimedJob> claimSome(JdbcJobStore store) {
		return store.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), 50, Deadlines.always(DEADLINE)));
	}

	private static List<Finish> mixed(List<Claim> claims) {
		List<Finish> finishes = new ArrayList<>();
		for (int i = 0; i < claims.size(); i++) {
			Claim claim = claims.get(i);
			finishes.add(switch (i % 5) {
				case 0 -> new Finish.Retry(claim, Duration.ofSeconds(i), failure());
				case 1 -> new Finish.Release(claim, Duration.ZERO);
				case 2 -> new Finish.DeadLetter(claim, failure());
				case 3 -> new Finish.Rescue(claim, failure());
				default -> new Finish.Ack(claim);
			});
		}
		return finishes;
	}

	/**
	 * The jobs that there are.
	 *
	 * @param ourRunning what this worker runs
	 * @param theirRunning what the other worker runs
	 * @param ourDead the dead that this one redrives
	 * @param theirDead the dead that the other one redrives
	 */
	record World(List<Claim> ourRunning, List<Claim> theirRunning, List<Long> ourDead, List<Long> theirDead) {

	}

}
