package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.database.Database;
import io.jobqueue.store.Audit;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LosingCommits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Nobody knows whether a commit took place whose answer was lost. Each test holds in
 * either case.
 */
@ForEachDatabase
class LostCommitTests extends StoreTests {

	private LosingCommits losing;

	private JdbcJobStore losingStore;

	private StoredJobQueue queue;

	@BeforeEach
	void loseCommits() {
		this.losing = new LosingCommits(dataSource());
		this.losingStore = new JdbcJobStore(new Database(this.losing), StoreSettings.DEFAULT);
		this.queue = new StoredJobQueue(this.losingStore, this.queues, null,
				new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024), new QueueListeners(),
				Audit.none());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anEnqueueByUniqueKeyIsRepeatedAndMakesOneJob(boolean committed) {
		this.losing.lose(1, committed);
		long id = this.queue.enqueue(NewJob.of("any", "payload").uniqueKey("key"));
		assertThat(this.queue.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void manyEnqueuedByUniqueKeysAreRepeatedAndMakeOneJobEach(boolean committed) {
		this.losing.lose(2, committed);
		List<Long> ids = this.queue.enqueueAll(List.of(NewJob.of("any").uniqueKey("b"), NewJob.of("any").uniqueKey("a"),
				NewJob.of("b").uniqueKey("a")));
		assertThat(ids).doesNotHaveDuplicates().allMatch((id) -> this.queue.find(id).isPresent());
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anEnqueueByUniqueKeyThatCannotBeRepeatedSaysThatNobodyKnows(boolean committed) {
		this.losing.lose(1, committed);
		this.losing.loseServerToo();
		assertThatExceptionOfType(UnknownOutcomeException.class)
			.isThrownBy(() -> this.queue.enqueue(NewJob.of("any").uniqueKey("key")));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(committed ? 1 : 0);
	}

	@Test
	void anEnqueueByUniqueKeyGivesUpWhenEveryCommitIsLost() {
		this.losing.lose(100, false);
		assertThatExceptionOfType(UnknownOutcomeException.class)
			.isThrownBy(() -> this.queue.enqueue(NewJob.of("any").uniqueKey("key")));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anEnqueueWithoutKeyIsNotRepeatedAndSaysThatNobodyKnows(boolean committed) {
		this.losing.lose(1, committed);
		assertThatExceptionOfType(UnknownOutcomeException.class)
			.isThrownBy(() -> this.queue.enqueueAll(List.of(NewJob.of("any").uniqueKey("key"), NewJob.of("any"))))
			.withMessageContaining("2 jobs (the first of type 'any') may or may not have been enqueued");
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(committed ? 2 : 0);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void soDoesAnEnqueueThatIsASingleStatement(boolean committed) {
		this.losing.lose(1, committed);
		assertThatExceptionOfType(UnknownOutcomeException.class).isThrownBy(() -> this.queue.enqueue(NewJob.of("any")))
			.withMessageContaining("one 'any' job may or may not have been enqueued");
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(committed ? 1 : 0);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallersOwnCommitIsNotRepeatedAndEndsInSpringsException(boolean committed) {
		TransactionTemplate transaction = transaction(this.losing);
		this.losing.lose(1, committed);
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> transaction
			.executeWithoutResult((status) -> this.queue.enqueue(NewJob.of("any").uniqueKey("key"))));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(committed ? 1 : 0);
		this.queue.enqueue(NewJob.of("any").uniqueKey("key"));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatAClaimTookIsFoundUnderItsSession(boolean committed) {
		long id = enqueue(NewJob.of("any"));
		this.losing.lose(1, committed);
		assertThatExceptionOfType(UnknownOutcomeException.class).isThrownBy(() -> this.losingStore
			.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), 1, Deadlines.always(DEADLINE))));
		List<Claim> held = this.store.heldBy(SESSION, false);
		assertThat(held).extracting(Claim::id).containsExactlyElementsOf(committed ? List.of(id) : List.of());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aRepeatedAckEndsTheClaimOnce(boolean committed) {
		enqueue(NewJob.of("any"));
		List<Finish> acks = claim(1).stream().map(ClaimedJob::claim).<Finish>map(Finish.Ack::new).toList();
		this.losing.lose(1, committed);
		assertThatExceptionOfType(UnknownOutcomeException.class).isThrownBy(() -> this.losingStore.finish(acks));
		assertThat(this.losingStore.finish(acks)).hasSize(committed ? 1 : 0);
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(1);
	}

}
