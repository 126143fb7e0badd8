package io.jobqueue.sample.demo;

import java.time.Clock;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.sample.demo.DemoJobs.Parcel;

import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Keeps traffic going: more at noon and in the evening than at night, with peaks.
 */
@Component
@Profile("demo")
class DemoDay {

	private static final List<String> STOPS = List.of("picked", "packed", "on its way", "delivered");

	private static final double MOST_JOBS = 12;

	private static final int SECONDS_TO_PEAK = 400;

	private static final int SECONDS_TO_FIRST_PEAK = 10;

	private static final int PICTURES_OF_PEAK = 600;

	private static final int PAGES_OF_PEAK = 40;

	private final JobQueue queue;

	private final Random random = new Random();

	private int seconds;

	DemoDay(JobQueue queue) {
		this.queue = queue;
	}

	@Scheduled(fixedRate = 1_000)
	void second() {
		List<NewJob> jobs = new ArrayList<>();
		double busy = busy(LocalTime.now(Clock.systemDefaultZone()).toSecondOfDay() / 3600.0);
		for (int i = count(MOST_JOBS * busy); i > 0; i--) {
			jobs.add(any());
		}
		if (this.seconds++ % SECONDS_TO_PEAK == SECONDS_TO_FIRST_PEAK) {
			jobs.addAll(peak());
		}
		this.queue.enqueueAll(jobs);
	}

	/** From 0 to 1: a quiet night, noon, and the evening when people buy. */
	static double busy(double hour) {
		return Math.min(1,
				0.15 + 0.7 * Math.exp(-Math.pow((hour - 12) / 3, 2)) + 0.85 * Math.exp(-Math.pow((hour - 20) / 2, 2)));
	}

	private int count(double mean) {
		return (int) (mean + this.random.nextDouble());
	}

	private NewJob any() {
		return switch (this.random.nextInt(10)) {
			case 0, 1, 2, 3 -> NewJob.of("resize-picture", this.random.nextInt(100_000)).queue("pictures");
			case 4, 5, 6 -> NewJob.of("book-stock", this.random.nextInt(10_000)).queue("stock");
			case 7 -> NewJob.of("render-catalogue", this.random.nextInt(400)).queue("catalogue").priority(2);
			default -> parcel();
		};
	}

	private NewJob parcel() {
		boolean lost = this.random.nextInt(150) == 0;
		return parcel(lost ? DemoJobs.LOST : STOPS.get(this.random.nextInt(STOPS.size())));
	}

	private NewJob parcel(String stop) {
		int number = this.random.nextInt(5_000);
		return NewJob.of("move-parcel", new Parcel(number, stop)).queue("parcels").orderKey("parcel-" + number % 60);
	}

	/**
	 * Many jobs at once, and two that fail: nights are so quiet that none may fail for
	 * minutes.
	 */
	private List<NewJob> peak() {
		List<NewJob> jobs = new ArrayList<>();
		IntStream.range(0, PICTURES_OF_PEAK)
			.forEach((number) -> jobs.add(NewJob.of("resize-picture", number).queue("pictures")));
		IntStream.range(0, PAGES_OF_PEAK)
			.forEach((page) -> jobs.add(NewJob.of("render-catalogue", page).queue("catalogue").priority(2)));
		jobs.add(NewJob.of("book-stock", DemoJobs.UNKNOWN_ARTICLE).queue("stock"));
		jobs.add(parcel(DemoJobs.LOST));
		return jobs;
	}

}
