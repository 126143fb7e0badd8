package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.jobqueue.AuditEntry;
import io.jobqueue.AuditEntry.Outcome;
import io.jobqueue.AuditEntry.Source;
import io.jobqueue.Limit;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.Schedule;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.maintenance.PruneAudit;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Stores;
import io.jobqueue.store.Audit;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.jdbc.operation.JdbcAudit;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What is written of what operators do.
 */
@ForEachDatabase
class AuditTests extends StoreTests {

	private Optional<String> actor = Optional.of("ann");

	private QueueNode node;

	private StoredJobQueue queue;

	private Audit audit;

	@BeforeEach
	void createNode() {
		this.node = new QueueNode(this.database, Stores.on(this.database, StoreSettings.DEFAULT),
				OperatorStores.on(this.database, StoreSettings.DEFAULT), new QueueListeners(), () -> this.actor);
		this.queue = this.node.queue(payloads());
		this.audit = this.node.audit();
	}

	private static PayloadWriter payloads() {
		return new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024);
	}

	private AuditEntry newest() {
		return this.audit.list(null, 1).get(0);
	}

	@Test
	void nobodySaysThatItFailedIfNobodyKnows() {
		UnknownOutcomeException lost = new UnknownOutcomeException("lost during the commit", null);
		assertThatThrownBy(() -> this.audit.of("redrive", "job 1", () -> {
			throw lost;
		}, (nothing) -> null)).isSameAs(lost);
		AuditEntry entry = newest();
		assertThat(entry.outcome()).isEqualTo(Outcome.BEGUN);
		assertThat(entry.problem()).contains("lost during the commit");
	}

	@Test
	void aUserWhomTheRequestNamesIsTheActorIfNobodyElseIsKnown() {
		this.audit.from(Source.PAGE, "bob", () -> this.queue.redrive(null, "any"));
		assertThat(newest().actor()).isEqualTo("ann");
		this.actor = Optional.empty();
		this.audit.from(Source.PAGE, "bob", () -> this.queue.redrive(null, "any"));
		assertThat(newest().actor()).isEqualTo("bob");
		this.queue.redrive(null, "any");
		assertThat(newest().actor()).isEmpty();
	}

	@Test
	void whoDidWhatToWhatAndHowMuchIsWritten() {
		dead(NewJob.of("any"));
		dead(NewJob.of("any"));
		assertThat(this.queue.redrive(null, "any")).isEqualTo(2);
		AuditEntry entry = newest();
		assertThat(entry.actor()).isEqualTo("ann");
		assertThat(entry.source()).isEqualTo(Source.API);
		assertThat(entry.action()).isEqualTo("redrive");
		assertThat(entry.target()).isEqualTo("dead jobs of every queue, type any");
		assertThat(entry.changed()).isEqualTo(2);
		assertThat(entry.outcome()).isEqualTo(Outcome.DONE);
		assertThat(entry.problem()).isEmpty();
	}

	@Test
	void eachActionOfAnOperatorHasOneEntry() {
		StoredSchedules schedules = this.node.schedules(payloads());
		schedules.save(Schedule.every("poll", Duration.ofHours(1)));
		this.queue.pause("mail");
		this.queue.resume("mail");
		this.queue.unblock("order-42");
		this.queue.redrive(7);
		this.queue.cancelAll("mail", null);
		this.node.limits().save(Limit.of("partner").running(3));
		schedules.pause("poll");
		schedules.resume("poll");
		schedules.trigger("poll");
		schedules.remove("poll");
		assertThat(this.audit.list(null, 100)).extracting(AuditEntry::action, AuditEntry::target, AuditEntry::changed)
			.containsExactly(tuple("remove", "schedule poll", 1L), tuple("trigger", "schedule poll", 1L),
					tuple("resume", "schedule poll", 1L), tuple("pause", "schedule poll", 1L),
					tuple("limit", "partner: 3 at once, 0 in 1s, burst 1", 1L),
					tuple("cancel", "jobs of queue mail, every type", 0L), tuple("redrive", "job 7", 0L),
					tuple("unblock", "order key order-42", 0L), tuple("resume", "queue mail", 1L),
					tuple("pause", "queue mail", 1L));
	}

	@Test
	void whatTheApplicationDoesWithSingleJobsIsItsOwnBusiness() {
		long id = this.queue.enqueue("any");
		this.queue.reschedule(id, Instant.now().plusSeconds(60));
		this.queue.cancel(id);
		this.queue.cancelByKey("any", "key");
		assertThat(this.audit.list(null, 100)).isEmpty();
		long other = this.queue.enqueue("any");
		assertThat(this.audit.from(Source.PAGE, () -> this.queue.cancel(other))).isTrue();
		assertThat(this.audit.from(Source.ENDPOINT, () -> this.queue.cancelByKey("any", "key"))).isFalse();
		assertThat(this.audit.list(null, 100)).extracting(AuditEntry::source, AuditEntry::target)
			.containsExactly(tuple(Source.ENDPOINT, "job of any with the unique key key"),
					tuple(Source.PAGE, "job " + other));
	}

	@Test
	void whatFailsIsWrittenWithItsReason() {
		assertThatThrownBy(() -> this.audit.of("try", "something", () -> {
			throw new IllegalStateException("It cannot be done");
		}, (result) -> 1L)).hasMessage("It cannot be done");
		assertThat(newest().outcome()).isEqualTo(Outcome.FAILED);
		assertThat(newest().problem()).contains("It cannot be done");
		assertThat(newest().changed()).isNull();
	}

	/**
	 * As if the process had died before it was done.
	 */
	@Test
	void itIsWrittenBeforeItIsDone() {
		this.audit.of("try", "something", () -> {
			assertThat(newest().outcome()).isEqualTo(Outcome.BEGUN);
			assertThat(newest().action()).isEqualTo("try");
			return 1;
		}, Integer::longValue);
		assertThat(newest().outcome()).isEqualTo(Outcome.DONE);
	}

	@Test
	void whatIsRolledBackByTheCallerIsWrittenAllTheSame() {
		transaction().executeWithoutResult((status) -> {
			this.queue.pause("mail");
			status.setRollbackOnly();
		});
		assertThat(newest().action()).isEqualTo("pause");
	}

	@Test
	void longAndOddTextsAreTaken() {
		this.actor = Optional.of("\uD83C\uDF75".repeat(300));
		this.audit.of("try", "x".repeat(2_000), () -> 1, Integer::longValue);
		assertThat(newest().target()).hasSize(500).endsWith("…");
		this.actor = Optional.empty();
		this.audit.of("try", "", () -> 1, Integer::longValue);
		assertThat(newest().actor()).isEmpty();
	}

	@Test
	void pagesFollowEachOther() {
		for (int i = 0; i < 7; i++) {
			this.queue.pause("q" + i);
		}
		List<AuditEntry> first = this.audit.list(null, 5);
		List<AuditEntry> second = this.audit.list(first.get(4).id(), 5);
		assertThat(first).extracting(AuditEntry::target)
			.containsExactly("queue q6", "queue q5", "queue q4", "queue q3", "queue q2");
		assertThat(second).extracting(AuditEntry::target).containsExactly("queue q1", "queue q0");
		assertThatIllegalArgumentException().isThrownBy(() -> this.audit.list(null, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> this.audit.list(null, 1_001));
	}

	@Test
	void oldEntriesAreDeleted() {
		for (int i = 0; i < 600; i++) {
			this.rows
				.sql("INSERT INTO jobqueue_audit (begun_at, actor, source, action, target) VALUES "
						+ "({now + -91 DAY}, '', 0, 'old', '')")
				.update();
		}
		this.queue.pause("mail");
		assertThat(new PruneAudit(new JdbcAudit(this.database), Duration.ofDays(90)).runOnce()).isEqualTo(600);
		assertThat(this.audit.list(null, 10)).extracting(AuditEntry::action).containsExactly("pause");
	}

	@Test
	void numbersThatNobodyKnowsAreRead() {
		this.rows
			.sql("INSERT INTO jobqueue_audit (begun_at, actor, source, action, target, outcome) VALUES "
					+ "({now}, '', 77, 'odd', '', 88)")
			.update();
		assertThat(newest().source()).isEqualTo(Source.API);
		assertThat(newest().outcome()).isEqualTo(Outcome.BEGUN);
	}

}
