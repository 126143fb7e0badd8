package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.DeadJobReference;
import io.jobqueue.store.Finish;
import io.jobqueue.store.TypeRules;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The jobs that tell of dead ones: one for each death, and none for what is no death.
 */
@ForEachDatabase
class TellOfDeadJobsTests extends StoreTests {

	private static final RetryPolicy RETRY = new RetryPolicy(3, new BackoffPolicy(Duration.ZERO, 1, Duration.ZERO, 0),
			List.of());

	@AfterEach
	void tellNobody() {
		this.rows.sql("UPDATE jobqueue_type SET dead_handler = 0").update();
	}

	private void listen(String... types) {
		this.store
			.registerTypes(Stream.of(types).collect(Collectors.toMap((type) -> type, (type) -> new TypeRules(RETRY))));
	}

	private List<ClaimedJob> telling() {
		return claim(100).stream().filter((job) -> job.type().startsWith("jobqueue.dead")).toList();
	}

	@Test
	void nobodyIsToldWhereNobodyWantsToBe() {
		dead(NewJob.of("any"));
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void aDeadJobIsToldOfByOneJobInItsQueue() {
		listen("any", "jobqueue.dead.any");
		long id = dead(NewJob.of("any", "payload").queue("mail").priority(7));
		List<ClaimedJob> telling = telling();
		assertThat(telling).hasSize(1);
		ClaimedJob job = telling.get(0);
		assertThat(job.type()).isEqualTo("jobqueue.dead.any");
		assertThat(job.queue()).isEqualTo("mail");
		assertThat(job.range().priority()).isEqualTo(7);
		DeadJobReference reference = DeadJobReference.parse(job.payload().text());
		assertThat(reference.id()).isEqualTo(id);
		assertThat(reference.isTo(this.store.find(id).orElseThrow())).isTrue();
	}

	/** What it says of the job would be read in vain. */
	@Test
	void aDeadJobIsKeptUntilTheOneThatTellsOfItHasEnded() {
		listen("any", "jobqueue.dead.any");
		long other = dead(NewJob.of("other"));
		long kept = dead(NewJob.of("any"));
		assertThat(prunable()).containsExactly(other);
		assertThat(this.store.prune(JobState.DEAD, LATEST, null, 10).changed()).isEqualTo(1);
		Claim telling = telling().get(0).claim();
		assertThat(prunable()).isEmpty();
		assertThat(this.store.find(kept)).isPresent();
		assertThat(this.store.finish(List.of(new Finish.DeadLetter(telling, failure())))).isEmpty();
		assertThat(prunable()).containsExactlyInAnyOrder(kept, telling.id());
		assertThat(this.store.prune(JobState.DEAD, LATEST, null, 10).changed()).isEqualTo(2);
		assertThat(this.store.find(kept)).isEmpty();
	}

	private List<Long> prunable() {
		return this.store.archived(JobState.DEAD, LATEST, null, 10)
			.jobs()
			.stream()
			.map((one) -> one.job().id())
			.toList();
	}

	@Test
	void deadJobsOfOtherTypesAreNotToldOf() {
		listen("jobqueue.dead.any");
		dead(NewJob.of("other"));
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void whoWantsToHearOfEveryTypeDoes() {
		listen("jobqueue.dead");
		long id = dead(NewJob.of("other"));
		List<ClaimedJob> telling = telling();
		assertThat(telling).extracting(ClaimedJob::type).containsExactly("jobqueue.dead");
		assertThat(DeadJobReference.parse(telling.get(0).payload().text()).id()).isEqualTo(id);
	}

	@Test
	void aTypeThatHasItsOwnIsNotToldOfTwice() {
		listen("jobqueue.dead", "jobqueue.dead.any");
		dead(NewJob.of("any"));
		assertThat(telling()).extracting(ClaimedJob::type).containsExactly("jobqueue.dead.any");
	}

	@Test
	void theDeathOfAJobThatTellsIsNotToldOf() {
		listen("jobqueue.dead", "jobqueue.dead.any");
		for (String type : List.of("any", "other")) {
			dead(NewJob.of(type));
			Claim telling = telling().get(0).claim();
			assertThat(this.store.finish(List.of(new Finish.DeadLetter(telling, failure())))).isEmpty();
			assertThat(this.rows.count("jobqueue_job")).as(type).isZero();
		}
	}

	@Test
	void aSecondDeathIsToldOfAgain() {
		listen("jobqueue.dead.any");
		long id = dead(NewJob.of("any"));
		Claim first = telling().get(0).claim();
		this.store.finish(List.of(new Finish.Ack(first)));
		assertThat(this.store.redrive(List.of(id))).isEqualTo(1);
		Claim again = claim(10).get(0).claim();
		assertThat(again.id()).isEqualTo(id);
		this.store.finish(List.of(new Finish.DeadLetter(again, failure())));
		assertThat(telling()).hasSize(1)
			.allSatisfy((job) -> assertThat(DeadJobReference.parse(job.payload().text()).id()).isEqualTo(id));
	}

	@Test
	void aDeathThatWasNotOneIsNotToldOf() {
		listen("jobqueue.dead.any");
		Claim claim = claimed(NewJob.of("any"));
		this.store.finish(List.of(new Finish.Ack(claim)));
		assertThat(this.store.finish(List.of(new Finish.DeadLetter(claim, failure())))).containsExactly(claim);
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void manyThatDieTogetherAreEachToldOf() {
		listen("jobqueue.dead.any");
		List<Long> ids = enqueue(1_200);
		this.store.finish(claim(1_200).stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		assertThat(claim(2_000)).extracting((job) -> DeadJobReference.parse(job.payload().text()).id())
			.containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void aRowThatAnotherProgramHasWrittenIsToldOfInAValidOne() {
		listen("jobqueue.dead.any");
		this.rows.sql("INSERT INTO jobqueue_job (type, queue) VALUES ('any', 'no queue!')").update();
		assertThat(claim(List.of(range("no queue!", 4)), 10)).isEmpty();
		List<ClaimedJob> telling = telling();
		assertThat(telling).extracting(ClaimedJob::queue).containsExactly("default");
	}

	@Test
	void whoHasRegisteredStaysRegisteredUntilSomebodySaysOtherwise() {
		listen("jobqueue.dead.any");
		listen("any");
		dead(NewJob.of("any"));
		assertThat(telling()).hasSize(1);
		this.rows.sql("UPDATE jobqueue_type SET dead_handler = 0 WHERE name = 'any'").update();
		this.rows.deleteAll();
		dead(NewJob.of("any"));
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

}
