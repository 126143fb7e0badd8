package io.jobqueue.spring.handler;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.jobqueue.CatchUp;
import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.Recurring;
import io.jobqueue.Schedule;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.Schedules;
import io.jobqueue.maintenance.FireSchedules;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Recurring jobs as an application declares and saves them; the examples of the guide.
 */
class RecurringTests extends HandlerTests {

	@Test
	void aDeclaredJobRunsAtEachTick() {
		this.runner.withUserConfiguration(EachSecond.class).run((context) -> {
			Instant first = (Instant) next();
			Instant second = (Instant) next();
			assertThat(Duration.between(first, second).toMillis() % 1000).isZero();
			assertThat(second).isAfter(first);
			ScheduleStatus status = context.getBean(Schedules.class).find("heartbeat").orElseThrow();
			assertThat(status.declared()).isTrue();
			assertThat(status.fired()).isGreaterThanOrEqualTo(2);
		});
	}

	@Test
	void whatTheAnnotationSaysIsStored() {
		this.runner.withUserConfiguration(Reports.class)
			.withPropertyValues("reports.cron=0 0 2 * * *", "reports.zone=Europe/Berlin")
			.run((context) -> {
				Schedules schedules = context.getBean(Schedules.class);
				ScheduleStatus report = awaited(schedules, "nightly-report");
				assertThat(report.timing()).isEqualTo("cron 0 0 2 * * * in Europe/Berlin");
				assertThat(report.type()).isEqualTo("nightly-report");
				assertThat(report.next().atZone(ZoneId.of("Europe/Berlin")).getHour()).isEqualTo(2);
				ScheduleStatus cleanup = awaited(schedules, "hourly-cleanup");
				assertThat(cleanup.timing()).isEqualTo("every PT1H");
				assertThat(cleanup.type()).isEqualTo("clean-up");
				assertThat(cleanup.queue()).isEqualTo("low");
				assertThat(schedules.all()).extracting(ScheduleStatus::name)
					.containsExactly("hourly-cleanup", "nightly-report");
			});
	}

	private static ScheduleStatus awaited(Schedules schedules, String name) {
		return Awaitility.await().until(() -> schedules.find(name), Optional::isPresent).orElseThrow();
	}

	@Test
	void aSavedScheduleRunsWithItsPayload() {
		this.runner.withUserConfiguration(Partners.class).run((context) -> {
			Schedules schedules = context.getBean(Schedules.class);
			schedules.save(Schedule.cron("partner-42-sync", "* * * * * *")
				.zone(ZoneId.of("Europe/Berlin"))
				.job(NewJob.of("sync", new Line("tea", 42)))
				.catchUp(CatchUp.SKIP)
				.overlap(Overlap.ALLOW));
			assertThat(next()).isEqualTo("tea 42 scheduled");
			assertThat(schedules.preview("partner-42-sync", 10)).hasSize(10).isSorted();
			schedules.pause("partner-42-sync");
			assertThat(schedules.find("partner-42-sync").orElseThrow().paused()).isTrue();
			schedules.trigger("partner-42-sync");
			assertThat(next()).isEqualTo("tea 42 scheduled");
			schedules.resume("partner-42-sync");
			assertThat(schedules.remove("partner-42-sync")).isTrue();
			assertThat(schedules.all()).isEmpty();
		});
	}

	@Test
	void aTriggerRunsTheJobNow() {
		this.runner.withUserConfiguration(Reports.class)
			.withPropertyValues("reports.cron=0 0 2 * * *", "reports.zone=UTC")
			.run((context) -> {
				Schedules schedules = context.getBean(Schedules.class);
				awaited(schedules, "nightly-report");
				assertThat(schedules.trigger("nightly-report")).isPresent();
				assertThat(next()).asString().startsWith("report for ");
			});
	}

	@Test
	void aHyphenStandsForNever() {
		this.runner.withUserConfiguration(Reports.class)
			.withPropertyValues("reports.cron=-", "reports.zone=UTC")
			.run((context) -> {
				awaited(context.getBean(Schedules.class), "hourly-cleanup");
				assertThat(context.getBean(DeclaredSchedules.class).all()).hasSize(1);
			});
	}

	@Test
	void anApplicationThatOnlyEnqueuesSavesSchedulesAndFiresNone() {
		this.runner.withUserConfiguration(EachSecond.class)
			.withPropertyValues("jobqueue.worker.enabled=false")
			.run((context) -> {
				context.getBean(Schedules.class).save(Schedule.every("sync", Duration.ofSeconds(1)));
				assertThat(names(context)).containsExactly("sync");
				assertThat(context).doesNotHaveBean(FireSchedules.class);
			});
	}

	private static List<String> names(ApplicationContext context) {
		return context.getBean(Schedules.class).all().stream().map(ScheduleStatus::name).toList();
	}

	static Stream<Arguments> mistakes() {
		return Stream.of(Arguments.of(NeverFires.class, "never fires"), Arguments.of(NoCron.class, "is not valid"),
				Arguments.of(NoZone.class, "zone 'Europe/Berlim' does not exist"), Arguments.of(Both.class, "has both"),
				Arguments.of(Neither.class, "has neither"), Arguments.of(TooOften.class, "every must be from 1s to"),
				Arguments.of(NoDuration.class, "every must be a duration"),
				Arguments.of(AllSkipped.class, "contradict each other"),
				Arguments.of(Twice.class, "'same' is declared twice"),
				Arguments.of(WithPayload.class, "its jobs have no payload"),
				Arguments.of(NoHandler.class, "but no @JobHandler"),
				Arguments.of(OfDeadJobs.class, "only a @JobHandler recurs"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void whatCannotRecurFailsTheStart(Class<?> configuration, String reason) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class)
				.hasMessageContaining(reason));
	}

	@Configuration(proxyBeanMethods = false)
	static class EachSecond {

		@Recurring(every = "1s")
		@JobHandler("heartbeat")
		void beat(JobContext job) {
			received.add(job.scheduledFor().orElseThrow());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Reports {

		@Recurring(cron = "${reports.cron}", zone = "${reports.zone}", catchUp = CatchUp.SKIP)
		@JobHandler("nightly-report")
		void report(JobContext job) {
			received.add("report for " + job.scheduledFor().orElseThrow());
		}

		@Recurring(every = "1h", name = "hourly-cleanup", queue = "low", jitter = "5m", overlap = Overlap.ALLOW,
				catchUp = CatchUp.ALL, catchUpLimit = 3)
		@JobHandler("clean-up")
		void cleanUp() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Partners {

		@JobHandler("sync")
		void sync(Line line, JobContext job) {
			received.add(line.article() + " " + line.count() + (job.scheduledFor().isPresent() ? " scheduled" : ""));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeverFires {

		@Recurring(cron = "0 0 0 30 2 *")
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoCron {

		@Recurring(cron = "0 0 25 * * *")
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoZone {

		@Recurring(cron = "0 0 2 * * *", zone = "Europe/Berlim")
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Both {

		@Recurring(cron = "0 0 2 * * *", every = "1h")
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Neither {

		@Recurring
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooOften {

		@Recurring(every = "500ms")
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoDuration {

		@Recurring(every = "often")
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AllSkipped {

		@Recurring(every = "1h", catchUp = CatchUp.ALL)
		@JobHandler("any")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Twice {

		@Recurring(every = "1h", name = "same")
		@JobHandler("one")
		void one() {
		}

		@Recurring(every = "2h", name = "same")
		@JobHandler("two")
		void two() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithPayload {

		@Recurring(every = "1h")
		@JobHandler("any")
		void run(Line line) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoHandler {

		@Recurring(every = "1h")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfDeadJobs {

		@Recurring(every = "1h")
		@DeadJobHandler("any")
		void run() {
		}

	}

}
