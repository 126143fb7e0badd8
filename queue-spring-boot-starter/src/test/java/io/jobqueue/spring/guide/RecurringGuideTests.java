package io.jobqueue.spring.guide;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

import io.jobqueue.CatchUp;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.Recurring;
import io.jobqueue.Schedule;
import io.jobqueue.ScheduleStatus;
import io.jobqueue.Schedules;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The examples of {@code docs/guides/recurring.md}.
 */
class RecurringGuideTests extends GuideApplication {

	private static final Markdown GUIDE = Markdown.of("docs/guides/recurring.md");

	@Test
	void theReportOfTheNight() throws Exception {
		try (ConfigurableApplicationContext application = start(Reports.class)) {
			Schedules schedules = application.getBean(Schedules.class);
			Awaitility.await().until(() -> schedules.find("nightly-report").isPresent());
			assertThat(schedules.preview("nightly-report", 3)).hasSize(3)
				.allSatisfy((tick) -> assertThat(tick.atZone(ZoneId.of("Europe/Berlin")).toLocalTime())
					.isEqualTo(LocalTime.of(2, 0)));

			assertThat(GUIDE.curls()).hasSize(2);
			assertThat(curl(application, GUIDE.curls().get(0))).contains("nightly-report");
			Instant before = Instant.now();
			curl(application, GUIDE.curls().get(1));
			assertThat((Instant) next()).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
		}
	}

	@Test
	void schedulesAtRunTime() throws Exception {
		try (ConfigurableApplicationContext application = start(Partners.class)) {
			Schedules schedules = application.getBean(Schedules.class);
			Partner partner = new Partner(42);
			schedules.save(Schedule.cron("partner-42-sync", "0 */5 * * * *").job(NewJob.of("sync", partner)));
			assertThat(schedules.find("partner-42-sync").orElseThrow().timing()).isEqualTo("cron 0 */5 * * * * in Z");

			schedules.save(Schedule.cron("partner-42-sync", "0 */5 * * * *")
				.zone(ZoneId.of("Europe/Berlin"))
				.job(NewJob.of("sync", new Partner(42)).queue("partners"))
				.catchUp(CatchUp.SKIP)
				.overlap(Overlap.ALLOW)
				.jitter(Duration.ofSeconds(30)));
			schedules.save(Schedule.every("poll-inbox", Duration.ofMinutes(10)));

			schedules.pause("partner-42-sync");
			schedules.trigger("partner-42-sync");
			assertThat(next()).isEqualTo(partner);
			List<Instant> ticks = schedules.preview("partner-42-sync", 10);
			assertThat(ticks).hasSize(10).isSorted();
			assertThat(schedules.find("partner-42-sync").orElseThrow().paused()).isTrue();
			schedules.remove("partner-42-sync");
			List<ScheduleStatus> all = schedules.all();
			assertThat(all).extracting(ScheduleStatus::name).containsExactly("poll-inbox");
			Optional<ScheduleStatus> removed = schedules.find("partner-42-sync");
			assertThat(removed).isEmpty();
		}
	}

	@Test
	void whatReadmeCalls() throws Exception {
		try (ConfigurableApplicationContext application = start(Partners.class)) {
			Schedules schedules = application.getBean(Schedules.class);
			Partner partner = new Partner(42);
			schedules.save(Schedule.cron("partner-42-sync", "0 */5 * * * *").job(NewJob.of("sync", partner)));
			schedules.pause("partner-42-sync");
			schedules.trigger("partner-42-sync");
			List<Instant> ticks = schedules.preview("partner-42-sync", 10);
			assertThat(next()).isEqualTo(partner);
			assertThat(ticks).hasSize(10);
		}
	}

	record Partner(long id) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Reports {

		@Recurring(cron = "0 0 2 * * *", zone = "Europe/Berlin")
		@JobHandler("nightly-report")
		void report(JobContext job) {
			Instant day = job.scheduledFor().orElseThrow();
			received.add(day);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Partners {

		@JobHandler("sync")
		void sync(Partner partner) {
			received.add(partner);
		}

	}

}
