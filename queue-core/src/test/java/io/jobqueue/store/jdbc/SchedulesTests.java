package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.jobqueue.CatchUp;
import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.PayloadFormat;
import io.jobqueue.Schedule;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.maintenance.DeclareSchedules;
import io.jobqueue.maintenance.FireSchedules;
import io.jobqueue.maintenance.SharedAgenda;
import io.jobqueue.maintenance.ForgetTicks;
import io.jobqueue.store.Audit;
import io.jobqueue.store.Agenda;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.TickPlan;
import io.jobqueue.store.jdbc.schedule.JdbcScheduleStore;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.Together;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Schedules: each tick has one job, whatever happens.
 */
@ForEachDatabase
class SchedulesTests extends StoreTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final AtomicLong nanos = new AtomicLong();

	private final QueueListeners listeners = new QueueListeners();

	private ScheduleStore scheduleStore;

	private StoredSchedules schedules;

	private FireSchedules fire;

	@BeforeEach
	void openSchedules() {
		this.scheduleStore = new JdbcScheduleStore(this.database, StoreSettings.DEFAULT);
		this.schedules = schedules(this.scheduleStore);
		this.fire = chore();
	}

	private StoredSchedules schedules(ScheduleStore store) {
		return new StoredSchedules(store, new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024),
				this.listeners, Audit.none());
	}

	private FireSchedules chore() {
		FireSchedules chore = new FireSchedules(this.scheduleStore,
				new SharedAgenda(new ReadAgenda(this.database), this.nanos::get).news(Duration.ZERO,
						Duration.ofSeconds(5)),
				this.listeners, this.nanos::get);
		this.listeners.add(chore);
		return chore;
	}

	private int look() {
		this.nanos.addAndGet(Duration.ofSeconds(6).toNanos());
		return this.fire.runOnce();
	}

	/** Time passes: all that was to come comes earlier. */
	private void pass(Duration time) {
		String micros = Long.toString(time.toNanos() / 1000);
		for (String column : List.of("next_at", "due_at", "last_at", "paused_at", "declared_until")) {
			this.rows
				.sql("UPDATE jobqueue_schedule SET " + column + " = TIMESTAMPADD(MICROSECOND, -" + micros + ", "
						+ column + ") WHERE " + column + " < TIMESTAMP '9999-12-31 00:00:00'")
				.update();
		}
		this.rows
			.sql("UPDATE jobqueue_job SET scheduled_for = TIMESTAMPADD(MICROSECOND, -" + micros + ", scheduled_for)")
			.update();
		this.rows.sql("DELETE FROM jobqueue_tick").update();
		this.rows
			.sql("UPDATE jobqueue_declaration SET seen_at = TIMESTAMPADD(MICROSECOND, -" + micros
					+ ", seen_at), first_seen_at = TIMESTAMPADD(MICROSECOND, -" + micros + ", first_seen_at)")
			.update();
	}

	private ScheduleStatus status(String name) {
		return this.schedules.find(name).orElseThrow();
	}

	private List<Job> jobs() {
		return this.rows.sql("SELECT id FROM jobqueue_job ORDER BY id")
			.query(Long.class)
			.list()
			.stream()
			.map((id) -> this.store.find(id).orElseThrow())
			.toList();
	}

	private void endJobs() {
		jobs().forEach((job) -> this.store.cancel(job.id()));
	}

	@Test
	void aTickHasAJobWithAllThatTheScheduleSays() {
		this.schedules.save(Schedule.every("sync", HOUR)
			.job(NewJob.of("sync-partner", "42")
				.queue("partners")
				.priority(7)
				.maxAttempts(3)
				.timeout(Duration.ofMinutes(2))
				.expiresAfter(Duration.ofMinutes(30))));
		assertThat(look()).isZero();
		Instant next = status("sync").next();
		pass(HOUR);
		assertThat(look()).isOne();
		assertThat(jobs()).singleElement().satisfies((job) -> {
			assertThat(job.type()).isEqualTo("sync-partner");
			assertThat(job.queue()).isEqualTo("partners");
			assertThat(job.priority()).isEqualTo(7);
			assertThat(job.maxAttempts()).isEqualTo(3);
			assertThat(job.payload()).isEqualTo("42");
			assertThat(job.scheduledFor()).isEqualTo(next.minus(HOUR));
			assertThat(this.rows.sql(
					"SELECT TIMESTAMPDIFF(MINUTE, enqueued_at, expires_at) + timeout_ms FROM jobqueue_job WHERE id = :id")
				.param("id", job.id())
				.query(Long.class)
				.single()).isEqualTo(30 + 120_000);
		});
		ScheduleStatus after = status("sync");
		assertThat(after.next()).isEqualTo(next);
		assertThat(after.last()).isEqualTo(next.minus(HOUR));
		assertThat(after.fired()).isOne();
		assertThat(after.lastJobId()).isEqualTo(jobs().get(0).id());
		assertThat(after.timing()).isEqualTo("every PT1H");
		assertThat(look()).isZero();
	}

	@Test
	void theTickGoesWithTheJobThroughClaimArchiveAndRedrive() {
		this.schedules.save(Schedule.every("sync", HOUR));
		pass(HOUR);
		look();
		Instant tick = status("sync").last();
		Job job = jobs().get(0);
		assertThat(claim(1).get(0).scheduledFor()).isEqualTo(tick);
		this.rows.set(job.id(), "state = 0");
		this.store.cancel(job.id());
		assertThat(this.store.find(job.id()).orElseThrow())
			.satisfies((archived) -> assertThat(archived.state()).isEqualTo(JobState.CANCELLED))
			.satisfies((archived) -> assertThat(archived.scheduledFor()).isEqualTo(tick));
		this.rows.setArchived(job.id(), "state = 4");
		assertThat(this.store.redrive(List.of(job.id()))).isOne();
		assertThat(this.store.find(job.id()).orElseThrow().scheduledFor()).isEqualTo(tick);
	}

	@Test
	void nodesThatLookAtOnceFireEachTickOnce() {
		for (int i = 0; i < 50; i++) {
			this.schedules.save(Schedule.every("s" + i, HOUR).overlap(Overlap.ALLOW));
		}
		for (int round = 0; round < 5; round++) {
			pass(HOUR);
			this.nanos.addAndGet(Duration.ofSeconds(6).toNanos());
			List<FireSchedules> nodes = Stream.generate(this::chore).limit(3).toList();
			this.nanos.addAndGet(Duration.ofSeconds(6).toNanos());
			Together.run(3, (number) -> nodes.get(number).runOnce());
			look();
		}
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(250);
		assertThat(this.rows.sql("SELECT COUNT(DISTINCT CONCAT(type, ' ', scheduled_for)) FROM jobqueue_job")
			.query(Long.class)
			.single()).isEqualTo(250);
	}

	@Test
	void whatANodePlannedIsNotDoneIfAnotherHasDoneIt() {
		this.schedules.save(Schedule.every("sync", HOUR).overlap(Overlap.ALLOW));
		pass(HOUR);
		List<TickPlan> plans = this.scheduleStore.due(10).schedules().stream().map(TickPlan::of).toList();
		assertThat(this.scheduleStore.fire(plans).schedules()).isOne();
		assertThat(this.scheduleStore.fire(plans).schedules()).isZero();
		assertThat(jobs()).hasSize(1);
	}

	@Test
	void missedTicksHaveOneJobTogether() {
		this.schedules.save(Schedule.every("sync", HOUR));
		pass(HOUR.multipliedBy(5));
		look();
		assertThat(jobs()).hasSize(1);
		assertThat(status("sync")).satisfies((status) -> {
			assertThat(status.fired()).isOne();
			assertThat(status.missed()).isEqualTo(4);
			assertThat(jobs().get(0).scheduledFor()).isEqualTo(status.last());
			assertThat(status.next()).isEqualTo(status.last().plus(HOUR));
		});
	}

	@Test
	void missedTicksAreSkippedOrCaughtUpAsTheScheduleSays() {
		this.schedules.save(Schedule.every("skip", HOUR).catchUp(CatchUp.SKIP));
		this.schedules.save(Schedule.every("all", HOUR).catchUpAll(3).overlap(Overlap.ALLOW));
		pass(HOUR.multipliedBy(5).plusMinutes(30));
		look();
		assertThat(status("skip").fired()).isZero();
		assertThat(status("skip").missed()).isEqualTo(5);
		assertThat(status("all").fired()).isEqualTo(3);
		assertThat(status("all").missed()).isEqualTo(2);
		Instant last = status("all").last();
		assertThat(jobs()).extracting(Job::scheduledFor)
			.containsExactlyInAnyOrder(last.minus(HOUR.multipliedBy(2)), last.minus(HOUR), last);
	}

	@Test
	void aTickIsSkippedWhileAnEarlierJobIsLive() {
		this.schedules.save(Schedule.every("sync", HOUR));
		this.schedules.save(Schedule.every("two", HOUR).overlap(Overlap.ALLOW));
		pass(HOUR);
		look();
		pass(HOUR);
		look();
		assertThat(status("sync").fired()).isOne();
		assertThat(status("sync").skipped()).isOne();
		assertThat(status("two").fired()).isEqualTo(2);
		endJobs();
		pass(HOUR);
		look();
		assertThat(status("sync").fired()).isEqualTo(2);
	}

	@Test
	void aJobThatWaitsForItsNextAttemptIsLive() {
		this.schedules.save(Schedule.every("sync", HOUR));
		pass(HOUR);
		look();
		this.rows.set(jobs().get(0).id(), "attempt = 2, available_at = {now + 1 DAY}");
		pass(HOUR);
		look();
		assertThat(status("sync").skipped()).isOne();
	}

	@Test
	void ticksOfAPauseAreNeitherFiredNorCaughtUp() {
		this.schedules.save(Schedule.every("sync", HOUR));
		assertThat(this.schedules.pause("sync")).isTrue();
		assertThat(status("sync").paused()).isTrue();
		assertThat(status("sync").next()).isNull();
		pass(HOUR.multipliedBy(3).plusMinutes(10));
		assertThat(look()).isZero();
		assertThat(this.schedules.preview("sync", 1).get(0)).isBetween(Instant.now(), Instant.now().plus(HOUR));
		assertThat(this.schedules.resume("sync")).isTrue();
		assertThat(look()).isZero();
		assertThat(status("sync")).satisfies((status) -> {
			assertThat(status.missed()).isZero();
			assertThat(Duration.between(Instant.now(), status.next())).isCloseTo(Duration.ofMinutes(50),
					Duration.ofSeconds(20));
		});
		pass(HOUR);
		look();
		assertThat(status("sync").fired()).isOne();
	}

	@Test
	void aTickThatWasDueBeforeAPauseIsMissed() {
		this.schedules.save(Schedule.every("sync", HOUR));
		pass(HOUR.multipliedBy(2));
		this.schedules.pause("sync");
		this.schedules.resume("sync");
		assertThat(status("sync").missed()).isEqualTo(2);
	}

	@Test
	void aChangedDefinitionMovesTheNextTickAnUnchangedOneDoesNot() {
		this.schedules.save(Schedule.every("sync", Duration.ofHours(24)));
		pass(Duration.ofHours(23));
		Instant before = status("sync").next();
		this.schedules.save(Schedule.every("sync", Duration.ofHours(24)));
		assertThat(status("sync").next()).isEqualTo(before);
		this.schedules.save(Schedule.every("sync", Duration.ofHours(48)));
		assertThat(status("sync").next()).isAfter(before.plus(Duration.ofHours(40)));
	}

	@Test
	void aSavedScheduleSharesTheCallersOutcome() {
		transaction().executeWithoutResult((status) -> {
			this.schedules.save(Schedule.every("gone", HOUR));
			status.setRollbackOnly();
		});
		transaction().executeWithoutResult((status) -> this.schedules.save(Schedule.every("there", HOUR)));
		assertThat(this.schedules.all()).extracting(ScheduleStatus::name).containsExactly("there");
	}

	@Test
	void aTriggerEnqueuesNowUnlessAnEarlierJobIsLive() {
		this.schedules.save(Schedule.every("sync", HOUR));
		Optional<Long> id = this.schedules.trigger("sync");
		assertThat(id).isPresent();
		assertThat(this.store.find(id.get()).orElseThrow().scheduledFor()).isNotNull();
		assertThat(this.schedules.trigger("sync")).isEmpty();
		assertThat(status("sync").lastJobId()).isEqualTo(id.get());
		assertThat(status("sync").fired()).isZero();
		endJobs();
		this.schedules.pause("sync");
		assertThat(this.schedules.trigger("sync")).isPresent();
		assertThatIllegalArgumentException().isThrownBy(() -> this.schedules.trigger("none"))
			.withMessageContaining("'none'");
	}

	@Test
	void whatIsNotThereIsSaidSo() {
		assertThat(this.schedules.pause("none")).isFalse();
		assertThat(this.schedules.resume("none")).isFalse();
		assertThat(this.schedules.remove("none")).isFalse();
		assertThat(this.schedules.find("none")).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.schedules.preview("none", 1));
		this.schedules.save(Schedule.every("sync", HOUR));
		assertThat(this.schedules.remove("sync")).isTrue();
		assertThat(this.schedules.all()).isEmpty();
	}

	@Test
	void aPreviewShowsTheTicksToCome() {
		this.schedules.save(Schedule.every("sync", HOUR));
		Instant next = status("sync").next();
		assertThat(this.schedules.preview("sync", 3)).containsExactly(next, next.plus(HOUR),
				next.plus(HOUR.multipliedBy(2)));
	}

	@Test
	void jitterMovesTheStartNotTheTick() {
		this.schedules.save(Schedule.every("sync", HOUR).jitter(Duration.ofDays(30)));
		pass(HOUR);
		look();
		Job job = jobs().get(0);
		assertThat(job.scheduledFor()).isEqualTo(status("sync").last());
		assertThat(job.availableAt()).isAfter(job.scheduledFor().plusSeconds(60));
	}

	@Test
	void aScheduleWhoseInsertFailsDelaysNoOther() {
		for (int i = 0; i < 20; i++) {
			this.schedules.save(Schedule.every("s" + i, HOUR));
		}
		pass(HOUR);
		refuse("s7");
		try (LogLines log = LogLines.of("io.jobqueue.maintenance.TickPlans")) {
			look();
			assertThat(log.messages()).filteredOn((line) -> line.contains("'s7'")).hasSize(1);
		}
		finally {
			accept();
		}
		assertThat(jobs()).hasSize(19);
		assertThat(status("s8").fired()).isOne();
	}

	/**
	 * As MySQL takes it from another program that is not strict.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "last_at", "next_at", "due_at", "paused_at" })
	void aTimeThatNobodyCanReadDelaysNoOther(String column) throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such time");
		this.schedules.save(Schedule.every("odd", HOUR));
		this.schedules.save(Schedule.every("good", HOUR));
		pass(HOUR);
		lenient("UPDATE jobqueue_schedule SET " + column + " = '0000-00-00 00:00:00' WHERE name = 'odd'");
		look();
		assertThat(status("good").fired()).isOne();
		if (column.equals("next_at")) {
			assertThat(status("odd").problem()).contains("next_at");
			assertThat(this.rows.sql("SELECT failures FROM jobqueue_schedule WHERE name = 'odd'")
				.query(Integer.class)
				.single()).as("it waits for longer each time").isOne();
			assertThat(look()).isZero();
		}
		// Far ahead, as after a jump of the clock.
		this.rows.sql("UPDATE jobqueue_schedule SET due_at = {now + 3 DAY}").update();
		this.fire = chore();
		look();
		assertThat(status("good").fired()).isOne();
		assertThat(this.schedules.all()).hasSize(2);
	}

	@Test
	void aDayThatDoesNotExistKeepsNobodyBusy() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such day");
		this.schedules.save(Schedule.every("odd", HOUR));
		lenient("UPDATE jobqueue_schedule SET due_at = CONCAT(YEAR(UTC_DATE()) + 1, '-02-30 00:00:00')");
		// MariaDB takes it for the second of March.
		assertThat(Optional.ofNullable(this.scheduleStore.due(10).next()).orElse(Instant.MAX))
			.isAfter(Instant.now().plus(Duration.ofDays(1)));
		assertThat(Optional.ofNullable(new ReadAgenda(this.database).get().untilTick()).orElse(Duration.ofDays(2)))
			.isGreaterThan(Duration.ofDays(1));
	}

	private void lenient(String statement) throws SQLException {
		try (Connection connection = dataSource().getConnection(); Statement lenient = connection.createStatement()) {
			lenient.execute("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'");
			lenient.executeUpdate(statement);
			lenient.execute("SET SESSION sql_mode = DEFAULT");
		}
	}

	@Test
	void aTickThatCouldNotBeFiredStaysAndIsFiredLater() {
		this.schedules.save(Schedule.every("bad", HOUR));
		this.schedules.save(Schedule.every("good", HOUR));
		pass(HOUR);
		refuse("bad");
		try {
			look();
			assertThat(jobs()).extracting(Job::type).containsExactly("good");
			assertThat(status("bad").problem()).isNotEmpty();
			assertThat(status("bad").fired()).isZero();
			assertThat(status("bad").overdue()).isPositive();
			assertThat(look()).isZero();
		}
		finally {
			accept();
		}
		this.rows.sql("UPDATE jobqueue_schedule SET due_at = {now} WHERE name = 'bad'").update();
		assertThat(look()).isOne();
		assertThat(status("bad").problem()).isNull();
		assertThat(status("bad").fired()).isOne();
	}

	private void refuse(String type) {
		this.rows.sql("ALTER TABLE jobqueue_job ADD CONSTRAINT refused CHECK (type <> '" + type + "')").update();
	}

	private void accept() {
		this.rows.sql("ALTER TABLE jobqueue_job DROP CONSTRAINT refused").update();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "type = 'send mail'", "priority = 12", "queue = ''", "zone = 'Europe/Berlim', cron = '@daily'",
					"cron = 'nonsense'", "interval_ms = 0", "interval_ms = 1", "jitter_ms = -1" })
	void oneThatCannotBeUnderstoodStopsNoOther(String hostile) {
		this.schedules.save(Schedule.every("bad", HOUR));
		this.schedules.save(Schedule.every("good", HOUR));
		this.rows.sql("UPDATE jobqueue_schedule SET " + hostile + " WHERE name = 'bad'").update();
		assertThat(look()).isZero();
		pass(HOUR.multipliedBy(2));
		look();
		assertThat(jobs()).extracting(Job::type).contains("good");
		assertThat(this.schedules.all()).hasSize(2);
		if (!hostile.startsWith("jitter")) {
			assertThat(status("bad").problem()).isNotEmpty();
			assertThat(status("bad").fired()).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, -30, Integer.MIN_VALUE, Integer.MAX_VALUE })
	void aNumberOfFailuresThatNobodyHasCountedStopsNoOther(int failures) {
		this.schedules.save(Schedule.every("bad", HOUR));
		this.schedules.save(Schedule.every("good", HOUR));
		this.rows.sql("UPDATE jobqueue_schedule SET cron = 'nonsense', failures = " + failures + " WHERE name = 'bad'")
			.update();
		pass(HOUR.multipliedBy(2));
		look();
		assertThat(jobs()).extracting(Job::type).containsExactly("good");
		assertThat(status("bad").problem()).isNotEmpty();
		assertThat(look()).isZero();
	}

	/**
	 * As somebody writes "never".
	 */
	@Test
	void aTickAtTheEndOfTimeKeepsNobodyBusy() {
		this.schedules.save(Schedule.every("odd", HOUR));
		this.schedules.save(Schedule.every("good", HOUR));
		this.rows.sql("UPDATE jobqueue_schedule SET next_at = TIMESTAMP '9999-12-31 23:59:59' WHERE name = 'odd'")
			.update();
		pass(HOUR.multipliedBy(2));
		look();
		assertThat(status("good").fired()).isOne();
		assertThat(status("odd").problem()).isNotEmpty();
		assertThat(look()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0000-00-00 00:00:00", "2026-02-30 00:00:00" })
	void aDeclaredOneThatRestsAtATimeThatIsNoneLetsTheOthersTick(String next) throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such time");
		DeclareSchedules node = declaring(0, Schedule.every("odd", HOUR), Schedule.every("good", HOUR));
		node.runOnce();
		lenient("UPDATE jobqueue_schedule SET next_at = '" + next
				+ "', due_at = '9999-12-31 00:00:00' WHERE name = 'odd'");
		this.rows.sql("UPDATE jobqueue_schedule SET declared_until = {now + 10 SECOND}").update();
		node.runOnce();
		assertThat(this.rows.sql("SELECT COUNT(*) FROM jobqueue_schedule WHERE declared_until > {now + 1 MINUTE}")
			.query(Integer.class)
			.single()).isEqualTo(2);
		this.rows.sql(
				"UPDATE jobqueue_schedule SET next_at = {now + -1 SECOND}, due_at = {now + -1 SECOND} WHERE name = 'good'")
			.update();
		look();
		assertThat(status("good").fired()).isOne();
	}

	@Test
	void oneThatSomebodyKeepsLockedStopsNoOther() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 passes over no row");
		DeclareSchedules node = declaring(0, Schedule.every("locked", HOUR), Schedule.every("free", HOUR));
		node.runOnce();
		this.schedules.save(Schedule.every("saved", HOUR));
		this.rows.sql(
				"UPDATE jobqueue_schedule SET next_at = TIMESTAMPADD(HOUR, -1, next_at), due_at = TIMESTAMPADD(HOUR, -1, due_at)")
			.update();
		try (Connection other = schema().connect(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.executeUpdate("UPDATE jobqueue_schedule SET skipped = 0 WHERE name = 'locked'");
			statement.executeUpdate("UPDATE jobqueue_schedule SET skipped = skipped + 1 WHERE name = 'locked'");
			statement.executeUpdate("UPDATE jobqueue_declaration SET revision = 1 WHERE name = 'locked'");
			assertThat(node.runOnce()).isZero();
			assertThat(look()).isEqualTo(2);
			assertThat(jobs()).extracting(Job::type).containsExactlyInAnyOrder("free", "saved");
			other.rollback();
		}
	}

	/** It stands still, as a process that is moved to another machine. */
	@Test
	void aNodeThatStandsStillWhileItDeclaresAScheduleStopsNoOther() throws Exception {
		DeclareSchedules node = declaring(0, Schedule.every("other", HOUR), Schedule.every("new", HOUR));
		try (Connection other = schema().connect()) {
			other.setAutoCommit(false);
			try (PreparedStatement insert = other.prepareStatement("INSERT INTO jobqueue_declaration "
					+ "(kind, name, definition_hash, revision, first_seen_at, seen_at) VALUES (0, 'new', ?, 0, "
					+ "'2026-01-01 00:00:00', '2026-01-01 00:00:00')")) {
				insert.setString(1, ScheduleDefinition.withoutPayload(Schedule.every("new", HOUR)).hash());
				insert.executeUpdate();
			}
			node.runOnce();
			assertThat(status("other").orphaned()).isFalse();
			assertThat(status("new").orphaned()).isFalse();
			other.rollback();
		}
		assertThat(node.runOnce()).isZero();
	}

	@Test
	void aChangedDefinitionCountsWhatWasDue() {
		this.schedules.save(Schedule.every("sync", HOUR));
		pass(HOUR.multipliedBy(2));
		this.schedules.save(Schedule.every("sync", HOUR).overlap(Overlap.ALLOW));
		assertThat(status("sync").missed()).isEqualTo(2);
		assertThat(look()).isZero();
	}

	@Test
	void aPauseByPlainSqlIsAPause() {
		this.schedules.save(Schedule.every("sync", HOUR));
		this.rows.sql("UPDATE jobqueue_schedule SET paused_at = {now}").update();
		pass(HOUR);
		assertThat(look()).isZero();
		assertThat(jobs()).isEmpty();
		this.schedules.resume("sync");
		pass(HOUR);
		assertThat(look()).isOne();
	}

	@Test
	void aThousandTicksOfEachOfSeveralAreCaughtUp() {
		for (int i = 0; i < 3; i++) {
			this.schedules.save(Schedule.every("s" + i, Duration.ofSeconds(1)).catchUpAll(700).overlap(Overlap.ALLOW));
		}
		pass(Duration.ofMinutes(20));
		look();
		assertThat(this.rows.count("jobqueue_job")).isBetween(2_100L, 2_110L);
		assertThat(this.rows.count("jobqueue_tick")).isEqualTo(this.rows.count("jobqueue_job"));
	}

	@Test
	void noTickIsFiredTwiceIfTheClockGoesBack() {
		this.schedules.save(Schedule.every("sync", HOUR).overlap(Overlap.ALLOW));
		pass(HOUR);
		look();
		this.rows.sql("UPDATE jobqueue_schedule SET next_at = last_at, due_at = last_at").update();
		look();
		assertThat(jobs()).hasSize(1);
		assertThat(status("sync").fired()).isOne();
		assertThat(status("sync").missed()).isZero();
		assertThat(status("sync").next()).isAfter(Instant.now());
	}

	@Test
	void aTickThatIsTooFarAwayIsPulledBack() {
		this.schedules.save(Schedule.every("every", HOUR));
		this.schedules.save(Schedule.cron("cron", "0 0 * * * *"));
		Instant before = status("every").next();
		this.rows
			.sql("UPDATE jobqueue_schedule SET next_at = TIMESTAMPADD(DAY, 400, next_at), due_at = "
					+ "TIMESTAMPADD(DAY, 400, due_at)")
			.update();
		this.fire = chore();
		look();
		assertThat(status("every").next()).isBetween(before.minus(HOUR), before);
		assertThat(status("cron").next()).isBefore(Instant.now().plus(HOUR));
	}

	/**
	 * As one whose ticks are being enqueued, on a server that is slow to commit.
	 */
	@Test
	void anOperatorWaitsForAScheduleThatIsLockedForLongerThanASecond() throws Exception {
		this.schedules.save(Schedule.every("every", HOUR));
		try (Connection holder = schema().connect(); Statement statement = holder.createStatement()) {
			holder.setAutoCommit(false);
			statement.executeQuery("SELECT id FROM jobqueue_schedule FOR UPDATE").close();
			long before = this.database.transactions().conflicts();
			CompletableFuture<Boolean> paused = CompletableFuture.supplyAsync(() -> this.schedules.pause("every"));
			Awaitility.await("refused once")
				.until(() -> this.database.transactions().conflicts() > before || paused.isDone());
			holder.rollback();
			assertThat(paused.get(1, TimeUnit.MINUTES)).isTrue();
		}
		assertThat(status("every").paused()).isTrue();
	}

	/**
	 * As by a transaction that has begun before the clock went back, and ends after it.
	 */
	@Test
	void aTickThatIsLockedWhenTheClockGoesBackIsPulledBackLater() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 waits for whoever has locked a row");
		this.schedules.save(Schedule.every("every", HOUR));
		Instant before = status("every").next();
		AtomicReference<LocalDateTime> shown = new AtomicReference<>(LocalDateTime.now(ZoneOffset.UTC).plusHours(1));
		this.fire = new FireSchedules(this.scheduleStore,
				new SharedAgenda(() -> new Agenda(shown.get(), false, false, false, HOUR, false, Agenda.UNKNOWN.keys()),
						this.nanos::get)
					.news(Duration.ZERO, Duration.ofSeconds(5)),
				this.listeners, this.nanos::get);
		look();
		shown.set(LocalDateTime.now(ZoneOffset.UTC));
		this.rows
			.sql("UPDATE jobqueue_schedule SET next_at = TIMESTAMPADD(HOUR, 1, next_at), due_at = "
					+ "TIMESTAMPADD(HOUR, 1, due_at)")
			.update();
		try (Connection holder = schema().connect(); Statement statement = holder.createStatement()) {
			holder.setAutoCommit(false);
			statement.executeQuery("SELECT id FROM jobqueue_schedule FOR UPDATE").close();
			look();
			holder.rollback();
		}
		assertThat(status("every").next()).isAfter(before);
		shown.set(shown.get().plusSeconds(6));
		look();
		assertThat(status("every").next()).isEqualTo(before);
	}

	@Test
	void whatCodeDeclaresIsStoredAndTheNewerVersionHolds() {
		DeclareSchedules old = declaring(0, Schedule.every("report", Duration.ofHours(24)));
		DeclareSchedules newer = declaring(0, Schedule.every("report", Duration.ofHours(12)));
		assertThat(old.runOnce()).isOne();
		assertThat(old.runOnce()).isZero();
		pass(Duration.ofSeconds(1));
		assertThat(newer.runOnce()).isOne();
		assertThat(status("report").timing()).isEqualTo("every PT12H");
		assertThat(old.runOnce()).isZero();
		assertThat(status("report").timing()).isEqualTo("every PT12H");
		// It was rolled back.
		pass(Duration.ofMinutes(2));
		assertThat(old.runOnce()).isOne();
		assertThat(status("report").timing()).isEqualTo("every PT24H");
	}

	@Test
	void aHigherRevisionHolds() {
		DeclareSchedules higher = declaring(2, Schedule.every("report", Duration.ofHours(24)));
		DeclareSchedules lower = declaring(1, Schedule.every("report", Duration.ofHours(12)));
		higher.runOnce();
		pass(Duration.ofSeconds(1));
		assertThat(lower.runOnce()).isZero();
		assertThat(status("report").timing()).isEqualTo("every PT24H");
	}

	@Test
	void whatNoNodeDeclaresAnyMoreRestsUntilOneDoes() {
		DeclareSchedules node = declaring(0, Schedule.every("report", HOUR));
		node.runOnce();
		pass(HOUR);
		assertThat(status("report").orphaned()).isTrue();
		assertThat(look()).isZero();
		assertThat(jobs()).isEmpty();
		assertThat(node.runOnce()).isZero();
		assertThat(status("report").orphaned()).isFalse();
		assertThat(look()).isOne();
	}

	@Test
	void aNodeDeletesNothingThatItDoesNotDeclare() {
		declaring(0, Schedule.every("report", HOUR), Schedule.every("other", HOUR)).runOnce();
		declaring(0, Schedule.every("report", HOUR)).runOnce();
		assertThat(this.schedules.all()).extracting(ScheduleStatus::name).containsExactly("other", "report");
	}

	@Test
	void whatCodeDeclaresCannotBeSaved() {
		declaring(0, Schedule.every("report", HOUR)).runOnce();
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.schedules.save(Schedule.every("report", HOUR)))
			.withMessageContaining("declared in code");
		assertThat(status("report").declared()).isTrue();
		pass(HOUR);
		this.schedules.save(Schedule.every("report", HOUR));
		assertThat(status("report").declared()).isFalse();
	}

	@Test
	void whatCodeDeclaresIsNotRemovedWhileItsNodesRun() {
		declaring(0, Schedule.every("report", HOUR)).runOnce();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.schedules.remove("report"))
			.withMessageContaining("declared in code")
			.withMessageContaining("or pause it");
		assertThat(status("report").declared()).isTrue();
		pass(HOUR);
		assertThat(this.schedules.remove("report")).isTrue();
	}

	private DeclareSchedules declaring(long revision, Schedule... declared) {
		List<ScheduleDefinition> definitions = Arrays.stream(declared).map(ScheduleDefinition::withoutPayload).toList();
		return new DeclareSchedules(this.scheduleStore, () -> definitions, revision,
				() -> this.listeners.tell(QueueListener::schedulesChanged));
	}

	@Test
	void ticksAreForgottenAfterADay() {
		this.schedules.save(Schedule.every("sync", HOUR));
		pass(HOUR);
		look();
		ForgetTicks forget = new ForgetTicks(this.scheduleStore, HOUR);
		assertThat(forget.runOnce()).isZero();
		this.rows.sql("UPDATE jobqueue_tick SET tick_at = TIMESTAMPADD(HOUR, -25, tick_at)").update();
		assertThat(forget.runOnce()).isOne();
	}

	@Test
	void allOfThemAreSummedUp() {
		assertThat(this.scheduleStore.summary()).isEqualTo(ScheduleStore.Summary.NONE);
		this.schedules.save(Schedule.every("one", HOUR));
		this.schedules.save(Schedule.every("paused", HOUR));
		this.schedules.pause("paused");
		declaring(0, Schedule.every("orphan", HOUR)).runOnce();
		pass(HOUR.plusMinutes(10));
		ScheduleStore.Summary overdue = this.scheduleStore.summary();
		assertThat(overdue.count()).isEqualTo(3);
		assertThat(overdue.paused()).isOne();
		assertThat(overdue.orphaned()).isOne();
		assertThat(overdue.overdue()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(11));
		look();
		assertThat(this.scheduleStore.summary().fired()).isOne();
		assertThat(this.scheduleStore.summary().overdue()).isZero();
	}

	@Test
	void aTimeZoneIsStoredWithTheSchedule() {
		this.schedules.save(Schedule.cron("nightly", "0 0 2 * * *").zone(ZoneId.of("Asia/Tokyo")));
		assertThat(status("nightly").next().truncatedTo(ChronoUnit.DAYS).plus(Duration.ofHours(17)))
			.isEqualTo(status("nightly").next());
		assertThat(status("nightly").timing()).isEqualTo("cron 0 0 2 * * * in Asia/Tokyo");
	}

	@Test
	void catchUpOfAllThatWouldBeSkippedIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.schedules.save(Schedule.every("sync", HOUR).catchUpAll(5)))
			.withMessageContaining("ALL")
			.withMessageContaining("SKIP");
	}

}
