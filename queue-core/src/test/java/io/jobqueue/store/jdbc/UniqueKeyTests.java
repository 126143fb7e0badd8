package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Enqueued;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

@ForEachDatabase
class UniqueKeyTests extends StoreTests {

	private static final NewJob JOB = NewJob.of("send-receipt", "first").uniqueKey("receipt-42");

	private static final NewJob SAME = NewJob.of("send-receipt", "second").uniqueKey("receipt-42");

	private static final StoreSettings NO_RETENTION = StoreSettings.DEFAULT.withUniqueKeyRetention(Duration.ZERO);

	@Test
	void whatIsStoredIsToldApartFromWhatWasThere() {
		EnqueuedJob first = text(JOB);
		EnqueuedJob other = text(NewJob.of("any", "other"));
		assertThat(this.store.enqueue(List.of(first, text(SAME), other)).stored()).containsExactly(first, other);
		Enqueued again = this.store.enqueue(List.of(text(SAME)));
		assertThat(again.stored()).isEmpty();
		assertThat(again.ids()).hasSize(1);
	}

	@Test
	void aSecondEnqueueReturnsTheFirstJob() {
		long id = enqueue(JOB);
		assertThat(enqueue(SAME)).isEqualTo(id);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
		assertThat(this.rows.live(id).payload()).isEqualTo("first");
	}

	@Test
	void aKeyIsUniqueWithinABatch() {
		List<Long> ids = enqueueAll(List.of(NewJob.of("other"), JOB, SAME, NewJob.of("other"), SAME));
		assertThat(ids.get(2)).isEqualTo(ids.get(1));
		assertThat(ids.get(4)).isEqualTo(ids.get(1));
		assertThat(ids.stream().distinct()).hasSize(3);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(3);
		assertThat(this.rows.live(ids.get(1)).payload()).isEqualTo("first");
	}

	@Test
	void aBatchMayMixKeysThatAreTakenAndFreeOnes() {
		long taken = enqueue(JOB);
		NewJob free = NewJob.of("send-receipt", "free").uniqueKey("receipt-43");
		List<Long> ids = enqueueAll(List.of(free, SAME, NewJob.of("other"), SAME, free));
		assertThat(ids.get(1)).isEqualTo(taken);
		assertThat(ids.get(3)).isEqualTo(taken);
		assertThat(ids.get(4)).isEqualTo(ids.get(0)).isNotEqualTo(taken);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(3);
	}

	@Test
	void aKeyIsHeldAfterItsJobHasSucceeded() {
		long id = succeeded(JOB);
		assertThat(enqueue(SAME)).isEqualTo(id);
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void aKeyIsHeldAfterItsJobHasDied() {
		long id = dead(JOB);
		assertThat(enqueue(SAME)).isEqualTo(id);
	}

	@Test
	void aKeyIsHeldAfterItsJobWasCancelled() {
		long id = enqueue(JOB);
		assertThat(this.store.cancel(id)).isTrue();
		assertThat(enqueue(SAME)).isEqualTo(id);
	}

	@Test
	void aKeyBelongsToItsType() {
		long id = enqueue(JOB);
		assertThat(enqueue(NewJob.of("send-reminder").uniqueKey("receipt-42"))).isNotEqualTo(id);
	}

	@Test
	void keysAreComparedAsTheyAre() {
		List<String> keys = List.of("a", "A", "ä", "a\u0308", "ss", "ß", "a b", " a", "a\u0000", "\uD83D\uDE00",
				"\uD83D\uDE01");
		List<Long> ids = enqueueAll(keys.stream().map((key) -> NewJob.of("any").uniqueKey(key)).toList());
		assertThat(ids).doesNotHaveDuplicates();
		for (int i = 0; i < keys.size(); i++) {
			assertThat(enqueue(NewJob.of("any").uniqueKey(keys.get(i)))).as("key %s", i).isEqualTo(ids.get(i));
		}
	}

	@Test
	void aKeyIsHeldForItsTimeAfterTheJobBecameAvailable() {
		long id = enqueue(JOB.delay(Duration.ofDays(3)));
		assertThat(this.rows.holds(id, """
				(SELECT k.expires_at FROM jobqueue_unique_key k) BETWEEN TIMESTAMPADD(DAY, 1, available_at)
				AND TIMESTAMPADD(SECOND, 60, TIMESTAMPADD(DAY, 1, available_at))""")).isTrue();
	}

	@Test
	void aKeyIsFreeWhenItsTimeIsOverAndItsJobHasEnded() {
		long id = succeeded(JOB);
		letTheKeyExpire();
		long second = enqueue(SAME);
		assertThat(second).isNotEqualTo(id);
		assertThat(enqueue(JOB)).isEqualTo(second);
		assertThat(this.rows.live(second).payload()).isEqualTo("second");
	}

	@Test
	void aKeyIsHeldByALiveJobWhenItsTimeIsOver() {
		long ready = enqueue(JOB);
		letTheKeyExpire();
		assertThat(enqueue(SAME)).isEqualTo(ready);
		assertThat(claimIds(1)).containsExactly(ready);
		letTheKeyExpire();
		assertThat(enqueue(SAME)).isEqualTo(ready);
	}

	@Test
	void withoutRetentionAKeyIsFreeAsSoonAsItsJobHasEnded() {
		this.store = store(NO_RETENTION);
		Claim claim = claimed(JOB);
		assertThat(enqueue(SAME)).isEqualTo(claim.id());
		this.store.finish(List.of(new Finish.Ack(claim)));
		assertThat(enqueue(SAME)).isNotEqualTo(claim.id());
	}

	@Test
	void aKeyIsTakenAgainOnAPoolOfOneConnection() {
		Database single = new Database(schema().pool((settings) -> {
			settings.setMaximumPoolSize(1);
			settings.setConnectionTimeout(1_000);
		}));
		this.store = new JdbcJobStore(single, NO_RETENTION);
		long id = succeeded(JOB);
		assertThat(enqueue(SAME)).isNotEqualTo(id);
	}

	private void letTheKeyExpire() {
		this.rows.sql("UPDATE jobqueue_unique_key SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
	}

	@Test
	void aKeyOfATransactionThatIsRolledBackIsFree() {
		transaction().executeWithoutResult((status) -> {
			enqueue(JOB);
			status.setRollbackOnly();
		});
		long id = enqueue(SAME);
		assertThat(this.rows.live(id).payload()).isEqualTo("second");
	}

	@Test
	void whoeverCommitsFirstOwnsTheKey() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CompletableFuture<Long> second = new CompletableFuture<>();
		Long first = inTransaction(() -> {
			long id = enqueue(JOB);
			new Thread(() -> {
				started.countDown();
				complete(second);
			}, "second").start();
			await(started);
			return id;
		});
		assertThat(second.get(1, TimeUnit.MINUTES)).isEqualTo(first);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@Test
	void whoeverWaitedForATransactionThatIsRolledBackOwnsTheKey() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CompletableFuture<Long> second = new CompletableFuture<>();
		transaction().executeWithoutResult((status) -> {
			enqueue(JOB);
			new Thread(() -> {
				started.countDown();
				complete(second);
			}, "second").start();
			await(started);
			status.setRollbackOnly();
		});
		assertThat(this.rows.live(second.get(1, TimeUnit.MINUTES)).payload()).isEqualTo("second");
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	private void complete(CompletableFuture<Long> future) {
		try {
			future.complete(enqueue(SAME));
		}
		catch (RuntimeException | Error ex) {
			future.completeExceptionally(ex);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError(ex);
		}
	}

	/**
	 * Its driver writes question marks, so that all such keys would be one.
	 */
	@Test
	void aKeyThatTheConnectionCannotWriteIsNotTakenForAnother() {
		assumeFalse(this.testDatabase.isH2(), "it has no character sets");
		Database latin = new Database(schema().pool("characterEncoding=ISO-8859-1"));
		JdbcJobStore store = new JdbcJobStore(latin, StoreSettings.DEFAULT);
		store.enqueue(List.of(text(NewJob.of("any").uniqueKey("ключ"))));
		assertThatIllegalStateException()
			.isThrownBy(() -> store.enqueue(List.of(text(NewJob.of("any").uniqueKey("ужас")))))
			.withMessageContaining("character set");
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@Test
	void keysArePrunedWhenTheirTimeIsOverAndTheirJobIsNotLive() {
		long ended = succeeded(NewJob.of("any").uniqueKey("ended"));
		long live = enqueue(NewJob.of("any").uniqueKey("live"));
		letTheKeyExpire();
		long young = enqueue(NewJob.of("any").uniqueKey("young"));
		this.store.cancel(young);
		assertThat(this.store.pruneUniqueKeys(null, 100).changed()).isEqualTo(1);
		assertThat(this.store.pruneUniqueKeys(null, 100).changed()).isZero();
		assertThat(enqueue(NewJob.of("any").uniqueKey("ended"))).isNotEqualTo(ended);
		assertThat(enqueue(NewJob.of("any").uniqueKey("live"))).isEqualTo(live);
		assertThat(enqueue(NewJob.of("any").uniqueKey("young"))).isEqualTo(young);
	}

	@Test
	void pruningKeysStopsAtItsLimit() {
		List<Long> ids = enqueueAll(List.of(NewJob.of("any").uniqueKey("1"), NewJob.of("any").uniqueKey("2"),
				NewJob.of("any").uniqueKey("3")));
		ids.forEach(this.store::cancel);
		letTheKeyExpire();
		assertThat(this.store.pruneUniqueKeys(null, 2).changed()).isEqualTo(2);
		assertThat(this.store.pruneUniqueKeys(null, 2).changed()).isEqualTo(1);
	}

}
