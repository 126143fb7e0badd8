package io.jobqueue.chaos;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.jobqueue.chaos.History.Answer;
import io.jobqueue.chaos.History.Enqueue;
import io.jobqueue.chaos.History.Pause;
import io.jobqueue.store.Claim;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Compares the history with the tables, after everything has healed and the queue is
 * empty.
 */
final class Checker {

	private static final int SUCCEEDED = 3;

	private static final int DEAD = 4;

	private static final int MOST = 20;

	private static final Duration SETTLING = Duration.ofSeconds(2);

	private final JdbcTemplate sql;

	private final Map<Long, Row> archived;

	private final List<Row> all;

	private final Map<Long, List<Claim>> effects;

	private final Map<Long, List<Claim>> ledger;

	private final List<String> violations = new ArrayList<>();

	private Checker(JdbcTemplate sql) {
		this.sql = sql;
		List<Row> archive = rows("jobqueue_archive");
		this.archived = archive.stream().collect(Collectors.toMap(Row::id, (row) -> row));
		this.all = new ArrayList<>(archive);
		this.all.addAll(rows("jobqueue_job"));
		this.effects = traces(Effects.EFFECT);
		this.ledger = traces(Effects.LEDGER);
	}

	/**
	 * Looks for broken promises.
	 * @param sql the database
	 * @param history what was asked and answered
	 * @param started the attempts that workers have started
	 * @param won those of which workers believe that they succeeded
	 * @return what was broken; empty if nothing
	 */
	static List<String> violations(JdbcTemplate sql, History history, Collection<Claim> started,
			Collection<Claim> won) {
		Checker checker = new Checker(sql);
		checker.everyJobIsThereOnce(history.enqueues());
		checker.everySuccessHasItsTraces();
		checker.noClaimRanTwice(started);
		checker.fencesRise();
		checker.nothingFailedAndSucceeded();
		checker.whoWonHasWon(won);
		checker.pausedQueuesStoodStill(history.pauses());
		if (history.hasComparableTimes()) {
			checker.keysKeepTheirOrder(history.enqueues());
			checker.limitsHold();
		}
		return checker.violations;
	}

	private List<Row> rows(String table) {
		return this.sql.query("SELECT id, state, type, fence, attempt, LEFT(payload, 100) AS payload FROM " + table,
				(row, number) -> new Row(row.getLong("id"), row.getInt("state"), row.getString("type"),
						row.getLong("fence"), row.getInt("attempt"), token(row.getString("payload"))));
	}

	private static String token(String payload) {
		return payload.substring("token=".length(), payload.indexOf(' '));
	}

	private void everyJobIsThereOnce(List<Enqueue> enqueues) {
		Map<String, List<Row>> byToken = this.all.stream().collect(Collectors.groupingBy(Row::token));
		for (Enqueue enqueue : enqueues) {
			List<Row> jobs = byToken.getOrDefault(enqueue.token(), List.of());
			if (jobs.size() > 1) {
				violation("%s was stored %d times: %s", enqueue, jobs.size(), jobs);
			}
			if (enqueue.answer() == Answer.OK && (jobs.isEmpty() || jobs.get(0).id() != enqueue.id())) {
				violation("%s is lost: %s", enqueue, jobs);
			}
			if (enqueue.answer() == Answer.FAIL && !jobs.isEmpty()) {
				violation("%s had failed, and is there: %s", enqueue, jobs);
			}
		}
		Set<String> asked = enqueues.stream().map(Enqueue::token).collect(Collectors.toSet());
		byToken.forEach((token, jobs) -> {
			if (!asked.contains(token)) {
				violation("Nobody enqueued %s", jobs);
			}
		});
	}

	/**
	 * The ledger has one row for each success and none for anything else; an effect may
	 * be there more often, but at least under the fence that succeeded.
	 */
	private void everySuccessHasItsTraces() {
		for (Row job : this.all) {
			List<Claim> entries = this.ledger.getOrDefault(job.id(), List.of());
			List<Claim> success = (job.state() == SUCCEEDED) ? List.of(new Claim(job.id(), job.fence(), 1)) : List.of();
			if ((job.type().equals(ChaosWorker.LEDGER) || job.type().equals(ChaosWorker.BATCH))
					&& !entries.equals(success)) {
				violation("The ledger has %s of %s", entries, job);
			}
			if ((job.type().equals(ChaosWorker.EFFECT) || job.type().equals(ChaosWorker.LIMITED))
					&& !this.effects.getOrDefault(job.id(), List.of()).containsAll(success)) {
				violation("%s succeeded without an effect under its fence: %s", job, this.effects.get(job.id()));
			}
		}
	}

	private Map<Long, List<Claim>> traces(String table) {
		return this.sql
			.query("SELECT job_id, fence FROM " + table + " ORDER BY seq",
					(row, number) -> new Claim(row.getLong("job_id"), row.getLong("fence"), 1))
			.stream()
			.collect(Collectors.groupingBy(Claim::id));
	}

	/** Neither by what workers say, nor by the traces, of which some were rolled back. */
	private void noClaimRanTwice(Collection<Claim> started) {
		noneTwice(started, "starts");
		noneTwice(all(this.effects), Effects.EFFECT);
		noneTwice(all(this.ledger), Effects.LEDGER);
	}

	private static List<Claim> all(Map<Long, List<Claim>> traces) {
		return traces.values().stream().flatMap(List::stream).toList();
	}

	private void noneTwice(Collection<Claim> claims, String where) {
		Set<Claim> seen = new HashSet<>();
		claims.stream()
			.filter((claim) -> !seen.add(claim))
			.forEach((claim) -> violation("%s ran twice, as its %s say", claim, where));
	}

	/** A later attempt has a higher fence, and none is higher than the one that won. */
	private void fencesRise() {
		Map<Long, Map<Integer, Long>> highest = new HashMap<>();
		each("SELECT job_id, attempt, MAX(fence) AS fence, MIN(fence) AS least FROM effect GROUP BY job_id, attempt "
				+ "ORDER BY job_id, attempt", (id, row) -> {
					Map<Integer, Long> ofJob = highest.computeIfAbsent(id, (same) -> new HashMap<>());
					ofJob.forEach((attempt, fence) -> {
						if (fence >= row.least()) {
							violation("Fences of job %d fell from %d in attempt %d to %d in attempt %d", id, fence,
									attempt, row.least(), row.attempt());
						}
					});
					ofJob.put(row.attempt(), row.fence());
					Row job = this.archived.get(id);
					if (job != null && job.state() == SUCCEEDED && row.fence() > job.fence()) {
						violation("%s succeeded under a stale fence: %d ran after it", job, row.fence());
					}
				});
	}

	private void each(String query, BiConsumer<Long, Run> consumer) {
		this.sql.query(query, (row) -> {
			consumer.accept(row.getLong("job_id"),
					new Run(row.getInt("attempt"), row.getLong("fence"), row.getLong("least")));
		});
	}

	private void nothingFailedAndSucceeded() {
		this.all.stream()
			.filter((job) -> ChaosWorker.mustDie(job.type()) && job.state() != DEAD)
			.forEach((job) -> violation("%s never succeeded and is not dead", job));
		this.all.stream()
			.filter((job) -> !ChaosWorker.mustDie(job.type()) && job.state() != SUCCEEDED)
			.forEach((job) -> violation("%s could have succeeded and has not", job));
	}

	private void whoWonHasWon(Collection<Claim> won) {
		for (Claim claim : won) {
			Row job = this.archived.get(claim.id());
			if (job == null || job.state() != SUCCEEDED || job.fence() != claim.fence()) {
				violation("A worker believes that %s succeeded, but there is %s", claim, job);
			}
		}
	}

	/** Claims that had begun when the queue was paused have ended after the settling. */
	private void pausedQueuesStoodStill(List<Pause> pauses) {
		for (Pause pause : pauses) {
			this.sql
				.queryForList("SELECT id FROM jobqueue_archive WHERE queue = ? AND claimed_at > ? AND claimed_at < ?",
						Long.class, pause.queue(), pause.from().plus(SETTLING), pause.until())
				.forEach((id) -> violation("Job %d was claimed in %s", id, pause));
		}
	}

	/**
	 * Of one order key no job was claimed before the one before had ended, and none that
	 * was enqueued later ran earlier. The last claim of each counts.
	 */
	private void keysKeepTheirOrder(List<Enqueue> enqueues) {
		Map<Long, Enqueue> byId = enqueues.stream()
			.filter((enqueue) -> enqueue.answer() == Answer.OK)
			.collect(Collectors.toMap(Enqueue::id, (enqueue) -> enqueue, (one, other) -> one));
		this.sql
			.query("""
					SELECT order_key, id, claimed_at, finished_at FROM jobqueue_archive
					WHERE order_key IS NOT NULL
					ORDER BY order_key, claimed_at, finished_at""",
					(row, number) -> new Turn(row.getString("order_key"), row.getLong("id"),
							row.getObject("claimed_at", LocalDateTime.class),
							row.getObject("finished_at", LocalDateTime.class)))
			.stream()
			.collect(Collectors.groupingBy(Turn::key))
			.values()
			.forEach((turns) -> keepTheirOrder(turns, byId));
	}

	private void keepTheirOrder(List<Turn> turns, Map<Long, Enqueue> enqueues) {
		for (int i = 1; i < turns.size(); i++) {
			Turn turn = turns.get(i);
			if (turn.claimed().isBefore(turns.get(i - 1).finished())) {
				violation("%s was claimed before the end of %s", turn, turns.get(i - 1));
			}
			Enqueue enqueue = enqueues.get(turn.id());
			for (Turn earlier : turns.subList(0, i)) {
				Enqueue before = enqueues.get(earlier.id());
				if (enqueue != null && before != null && enqueue.span().isBefore(before.span())) {
					violation("%s ran after %s, which was enqueued later", turn, earlier);
				}
			}
		}
	}

	/** As the last claims say: of earlier ones the ends are not known. */
	private void limitsHold() {
		this.sql
			.query("""
					SELECT COALESCE(limit_key, '') AS limit_key, id, claimed_at, finished_at FROM jobqueue_archive
					WHERE type = ? AND state = 3
					ORDER BY claimed_at""",
					(row, number) -> new Turn(row.getString("limit_key"), row.getLong("id"),
							row.getObject("claimed_at", LocalDateTime.class),
							row.getObject("finished_at", LocalDateTime.class)),
					ChaosWorker.LIMITED)
			.stream()
			.collect(Collectors.groupingBy(Turn::key))
			.values()
			.forEach((turns) -> {
				for (Turn turn : turns) {
					List<Turn> atOnce = turns.stream()
						.filter((other) -> !other.claimed().isAfter(turn.claimed())
								&& other.finished().isAfter(turn.claimed()))
						.toList();
					if (atOnce.size() > ChaosWorker.LIMIT.running()) {
						violation("More than %d ran at once: %s", ChaosWorker.LIMIT.running(), atOnce);
					}
				}
			});
	}

	private void violation(String text, Object... values) {
		if (this.violations.size() < MOST) {
			this.violations.add(text.formatted(values));
		}
	}

	/**
	 * A job, live or archived.
	 */
	private record Row(long id, int state, String type, long fence, int attempt, String token) {

	}

	/**
	 * When a job of an order key ran.
	 */
	private record Turn(String key, long id, LocalDateTime claimed, LocalDateTime finished) {

	}

	/**
	 * The runs of one attempt: crashes do not count as attempts, so it may have several.
	 */
	private record Run(int attempt, long fence, long least) {

	}

}
