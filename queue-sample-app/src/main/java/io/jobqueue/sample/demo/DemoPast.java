package io.jobqueue.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Makes up a week that never was, so that the charts of a shop that has just been started
 * are not empty. Nothing but a demo writes to this table.
 */
@Component
@Profile("demo")
class DemoPast {

	private static final int RANGES = 14;

	private static final Duration WEEK = Duration.ofDays(7);

	private static final long TENS = Duration.ofDays(1).toMinutes();

	private final JdbcTemplate template;

	private final Random random = new Random();

	DemoPast(JdbcTemplate template) {
		this.template = template;
	}

	@EventListener(ApplicationReadyEvent.class)
	void makeUp() {
		Integer rows = this.template.queryForObject("SELECT COUNT(*) FROM jobqueue_history", Integer.class);
		if (rows != null && rows > 0) {
			return;
		}
		long now = Instant.now().getEpochSecond() / 60;
		List<Object[]> past = new ArrayList<>();
		for (long minute = (now - WEEK.toMinutes()) / 10 * 10; minute < now;) {
			int step = (now - minute > TENS) ? 10 : 1;
			past.add(row(step, minute, "pictures", "resize-picture", 290, 4, 0.001));
			past.add(row(step, minute, "stock", "book-stock", 215, 5, isAway(minute) ? 0.4 : 0.02));
			past.add(row(step, minute, "catalogue", "render-catalogue", 72, 7, 0));
			past.add(row(step, minute, "parcels", "move-parcel", 140, 4, 0.01));
			past.add(depth(step, minute));
			minute += step;
		}
		this.template.batchUpdate("INSERT INTO jobqueue_history VALUES (" + "?, ".repeat(10 + 2 * RANGES) + "?)", past);
	}

	/** A partner that was away for an hour, every other day. */
	private static boolean isAway(long minute) {
		return minute % Duration.ofDays(2).toMinutes() < 60;
	}

	private Object[] row(int step, long minute, String queue, String type, double perMinute, int ran, double failing) {
		double busy = DemoDay.busy(hour(minute));
		long jobs = Math.round(perMinute * step * busy * (0.85 + 0.3 * this.random.nextDouble()));
		long failed = Math.round(jobs * failing);
		long dead = failed / 3;
		List<Object> row = new ArrayList<>(
				List.of(step, minute, queue, type, jobs, jobs + failed, jobs - dead, failed, dead));
		row.addAll(spread(jobs + failed, 1 + 3 * busy));
		row.addAll(spread(jobs, ran));
		row.addAll(List.of(0, 0));
		return row.toArray();
	}

	private Object[] depth(int step, long minute) {
		Object[] row = row(step, minute, "", "", 0, 1, 0);
		double busy = DemoDay.busy(hour(minute));
		row[row.length - 2] = Math.round(70 * busy * busy * (0.6 + this.random.nextDouble()));
		row[row.length - 1] = Math.round(9 * busy * busy * (0.5 + this.random.nextDouble()));
		return row;
	}

	private static double hour(long minute) {
		return Instant.ofEpochSecond(minute * 60).atZone(ZoneId.systemDefault()).toLocalTime().toSecondOfDay() / 3600.0;
	}

	/** Most of them around one range, the more the nearer. */
	private static List<Long> spread(long jobs, double around) {
		List<Long> ranges = new ArrayList<>(Collections.nCopies(RANGES, 0L));
		double all = 0;
		for (int range = 0; range < RANGES; range++) {
			all += Math.exp(-Math.pow(range - around, 2));
		}
		for (int range = 0; range < RANGES; range++) {
			ranges.set(range, Math.round(jobs * Math.exp(-Math.pow(range - around, 2)) / all));
		}
		return ranges;
	}

}
