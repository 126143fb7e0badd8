package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.jobqueue.JobError;
import io.jobqueue.NewJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.WorkerSessions.Session;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestSessions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Text that means something elsewhere is only text here.
 */
@ForEachDatabase
class HostileTextTests extends StoreTests {

	private static final String CONTROL_CHARACTERS = IntStream.range(0, 0xA0)
		.filter(Character::isISOControl)
		.mapToObj(Character::toString)
		.collect(Collectors.joining());

	static Stream<String> texts() {
		return Stream.of("'; DROP TABLE jobqueue_job; -- ;", "\" OR 1=1 /* */ #", "\\' \\\" \\\\ \\0 \\n \\Z \\%",
				"<script>alert(\"x\")</script>&amp;<!--", "a\r\nb\nc\rd\te", CONTROL_CHARACTERS, "{now} {byClaim} {j}x",
				":id :ids ? ?? ?1 ${x} #{y} %s %n {0} {}", "\uD83D\uDE00 \uD835\uDCB3 \uD83D\uDC69\u200D\uD83D\uDCBB",
				"\u202Eesrever\u202C \uFEFF \u2028 \u2029 \u0000.", "Ünïcödé ß İı ﬀ a\u0308", "null", "''", "{}");
	}

	@ParameterizedTest
	@MethodSource("texts")
	void payloadsComeBackAsTheyWere(String text) {
		String large = text.repeat(5_000 / text.length() + 1) + "x".repeat(5_000);
		List<Long> ids = enqueueAll(List.of(NewJob.of("any", text), NewJob.of("any", large)));
		assertThat(this.store.find(ids.get(0)).orElseThrow().payload()).isEqualTo(text);
		assertThat(this.store.find(ids.get(1)).orElseThrow().payload()).isEqualTo(large);
		List<ClaimedJob> claimed = claim(2);
		assertThat(claimed.get(0).payload().text()).isEqualTo(text);
		assertThat(this.store.payload(ids.get(1))).isEqualTo(large);
		this.store.finish(claimed.stream().map((job) -> new Finish.Ack(job.claim())).toList());
		assertThat(this.store.find(ids.get(0)).orElseThrow().payload()).isEqualTo(text);
		assertThat(this.store.find(ids.get(1)).orElseThrow().payload()).isEqualTo(large);
	}

	@ParameterizedTest
	@MethodSource("texts")
	void uniqueKeysAreComparedAsTheyAre(String text) {
		NewJob job = NewJob.of("any").uniqueKey(text);
		long id = enqueue(job);
		long other = enqueue(NewJob.of("any").uniqueKey(text + "."));
		assertThat(other).isNotEqualTo(id);
		assertThat(enqueueAll(List.of(job, NewJob.of("any"), job))).startsWith(id).endsWith(id);
		assertThat(
				this.rows.sql("SELECT unique_key FROM jobqueue_unique_key ORDER BY job_id").query(String.class).list())
			.containsExactly(text, text + ".");
	}

	@ParameterizedTest
	@MethodSource("texts")
	void errorsComeBackAsTheyWere(String text) {
		enqueue(2);
		List<Claim> claims = claim(2).stream().map(ClaimedJob::claim).toList();
		Failure failure = new Failure(1, text, text, text);
		this.store.finish(List.of(new Finish.Retry(claims.get(0), Duration.ZERO, failure),
				new Finish.DeadLetter(claims.get(1), failure)));
		for (Claim claim : claims) {
			JobError error = this.store.find(claim.id()).orElseThrow().lastError().orElseThrow();
			assertThat(List.of(error.type(), error.message(), error.stackTrace())).containsOnly(text);
		}
		assertThat(this.queues.newestDead(1).get(0).lastError().orElseThrow().message()).isEqualTo(text);
	}

	@ParameterizedTest
	@MethodSource("texts")
	void namesOfWorkersComeBackAsTheyWere(String text) {
		JdbcWorkerSessions sessions = new JdbcWorkerSessions(this.database);
		sessions.open(new NewSession(text, 1, List.of(), List.of()), Duration.ofMinutes(1));
		assertThat(sessions.list()).extracting(Session::worker).containsExactly(text);
		this.rows.sql("UPDATE jobqueue_session SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		assertThat(TestSessions.endExpired(sessions)).containsExactly(text);
	}

	@Test
	void aLongErrorIsShortenedToItsColumn() {
		String emoji = "\uD83D\uDE00".repeat(20_000);
		Claim claim = claimed();
		this.store.finish(List.of(new Finish.DeadLetter(claim, new Failure(1, emoji, emoji, emoji))));
		JobError error = this.store.find(claim.id()).orElseThrow().lastError().orElseThrow();
		assertThat(error.type()).endsWith("…").hasSizeLessThanOrEqualTo(255).startsWith("\uD83D\uDE00");
		assertThat(error.message()).endsWith("…").hasSizeLessThanOrEqualTo(2_000);
		assertThat(error.stackTrace()).endsWith("…");
	}

	@Test
	void theLongestKeyIsKeptAsItIs() {
		String key = "\uD83D\uDE00".repeat(95) + "k";
		long id = enqueue(NewJob.of("any").uniqueKey(key));
		assertThat(enqueue(NewJob.of("any").uniqueKey(key))).isEqualTo(id);
		assertThat(enqueue(NewJob.of("any").uniqueKey(key.substring(0, key.length() - 1) + "l"))).isNotEqualTo(id);
	}

}
