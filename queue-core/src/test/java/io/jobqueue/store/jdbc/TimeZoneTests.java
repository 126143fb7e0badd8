package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TimeZone;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.Job;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.ApplicationStore.DeadJob;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Times are the database's UTC clock, whatever time zones the session, the driver and the
 * JVM think that they are in.
 */
@ForEachDatabase
class TimeZoneTests extends StoreTests {

	/** A named zone in the session would need the server's zone tables. */
	private static final List<String> MYSQL_PARAMETERS = List.of("", "sessionVariables=time_zone='-08:00'",
			"sessionVariables=time_zone='%2B05:30'", "connectionTimeZone=America/New_York",
			"connectionTimeZone=-08:00&forceConnectionTimeZoneToSession=true",
			"connectionTimeZone=America/New_York&preserveInstants=false",
			"sessionVariables=time_zone='-08:00'&connectionTimeZone=Asia/Kolkata&useServerPrepStmts=true");

	private static final List<String> H2_PARAMETERS = List.of("", "TIME ZONE=America/New_York",
			"TIME ZONE=Asia/Kolkata");

	/**
	 * Local times that New York skips in spring and has twice in autumn, one that no
	 * TIMESTAMP can hold, and the last microsecond of a year.
	 */
	private static final List<Instant> TIMES = List.of(Instant.parse("2030-03-10T02:30:00.123456Z"),
			Instant.parse("2030-11-03T01:30:00.654321Z"), Instant.parse("2038-01-19T03:14:08.000001Z"),
			Instant.parse("2029-12-31T23:59:59.999999Z"), Instant.parse("2001-02-03T04:05:06Z"));

	private final TimeZone before = TimeZone.getDefault();

	@AfterEach
	void restoreTimeZone() {
		TimeZone.setDefault(this.before);
	}

	@ParameterizedTest
	@CsvSource({ "UTC, America/New_York", "America/New_York, Asia/Kolkata", "Asia/Kolkata, Pacific/Apia" })
	void timesAreExactInEveryZone(String zoneWhenConnecting, String zoneLater) {
		for (String parameters : this.testDatabase.isH2() ? H2_PARAMETERS : MYSQL_PARAMETERS) {
			TimeZone.setDefault(TimeZone.getTimeZone(zoneWhenConnecting));
			try (HikariDataSource pool = pool(parameters)) {
				JdbcJobStore store = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT);
				assertTimesAreExact(store, parameters);
				assertThatTheDatabasesClockDecides(store, parameters);
				TimeZone.setDefault(TimeZone.getTimeZone(zoneLater));
				assertTimesAreExact(store, parameters);
				assertThatTheDatabasesClockDecides(store, parameters);
				assertThatTheDeadAreListedPageByPage(store, parameters);
			}
			this.rows.deleteAll();
		}
	}

	private HikariDataSource pool(String parameters) {
		String separator = this.testDatabase.isH2() ? ";" : "&";
		return schema().pool((settings) -> settings
			.setJdbcUrl(schema().jdbcUrl() + (parameters.isEmpty() ? "" : separator + parameters)));
	}

	private void assertTimesAreExact(JdbcJobStore store, String parameters) {
		for (Instant time : TIMES) {
			long id = enqueue(store, NewJob.of("any").availableAt(time));
			assertThat(this.rows.live(id).availableAt()).as(parameters)
				.isEqualTo(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
			assertThat(store.find(id).orElseThrow().availableAt()).as(parameters).isEqualTo(time);
		}
		this.rows.deleteAll();
	}

	private void assertThatTheDatabasesClockDecides(JdbcJobStore store, String parameters) {
		long now = enqueue(store, NewJob.of("now"));
		long past = enqueue(store, NewJob.of("past").availableAt(Instant.now().minusSeconds(3_600)));
		long delayed = enqueue(store, NewJob.of("delayed").delay(Duration.ofHours(1)));
		long later = enqueue(store, NewJob.of("later").availableAt(Instant.now().plusSeconds(3_600)));
		List<ClaimedJob> claimed = claim(store);
		assertThat(claimed).as(parameters)
			.extracting((job) -> job.claim().id())
			.containsExactlyInAnyOrder(now, past)
			.doesNotContain(delayed, later);
		assertThat(this.rows.holds(delayed, "available_at > {now} AND available_at <= TIMESTAMPADD(HOUR, 1, {now})"))
			.as(parameters)
			.isTrue();
		Job job = store.find(now).orElseThrow();
		// The clocks of application and database differ by less than any time zone.
		for (Instant time : List.of(job.enqueuedAt(), job.availableAt(), job.claimedAt())) {
			assertThat(time).as(parameters).isCloseTo(Instant.now(), within(10, ChronoUnit.MINUTES));
		}
		store.finish(claimed.stream().map((one) -> new Finish.Ack(one.claim())).toList());
		assertThat(store.find(now).orElseThrow().finishedAt()).as(parameters)
			.isCloseTo(Instant.now(), within(10, ChronoUnit.MINUTES));
		this.rows.deleteAll();
	}

	private void assertThatTheDeadAreListedPageByPage(JdbcJobStore store, String parameters) {
		List<Long> ids = enqueue(3);
		store.finish(claim(store).stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		DeadJob first = store.dead(null, null, null, StoreTests.LATEST, 1).get(0);
		assertThat(first.id()).as(parameters).isEqualTo(ids.get(0));
		assertThat(store.dead(null, null, first, StoreTests.LATEST, 10)).as(parameters)
			.extracting(DeadJob::id)
			.containsExactly(ids.get(1), ids.get(2));
	}

	private static long enqueue(JdbcJobStore store, NewJob job) {
		return store.enqueue(List.of(text(job))).ids().get(0);
	}

	private static List<ClaimedJob> claim(JdbcJobStore store) {
		return store.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), 10, Deadlines.always(DEADLINE)));
	}

}
