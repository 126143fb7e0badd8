package io.jobqueue.sample.reports;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.Recurring;
import io.jobqueue.sample.ledger.Ledger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Sums up the sales of each day, at the midnight that ends it. Which day that is says the
 * tick, not the clock: a report that was missed while the shop was closed, or that had to
 * be tried again, is still that of its own day.
 */
@Component
class SalesReports {

	private static final Logger log = LoggerFactory.getLogger(SalesReports.class);

	private final JdbcClient client;

	SalesReports(JdbcClient client) {
		this.client = client;
	}

	@Recurring(cron = "${shop.report-cron:0 0 0 * * *}", zone = "Europe/Berlin")
	@JobHandler(value = "nightly-sales-report", transactional = true)
	void report(JobContext job) {
		Instant tick = job.scheduledFor().orElseThrow();
		// Midnight ends the day before; a report that is triggered is of the day so far.
		LocalDate day = tick.minusMillis(1).atZone(Ledger.ZONE).toLocalDate();
		this.client.sql("DELETE FROM shop_sales_report WHERE report_day = ?").param(day).update();
		this.client.sql("""
				INSERT INTO shop_sales_report (report_day, orders, amount, made_for)
				SELECT ?, COUNT(*), COALESCE(SUM(amount), 0), ? FROM shop_ledger WHERE posted_day = ?""")
			.params(day, tick.atOffset(ZoneOffset.UTC).toLocalDateTime(), day)
			.update();
		log.info("Sales report of {} made, for the tick of {}", day, tick);
	}

	List<SalesReport> all() {
		return this.client.sql("SELECT report_day, orders, amount FROM shop_sales_report ORDER BY report_day DESC")
			.query((row, number) -> new SalesReport(row.getObject("report_day", LocalDate.class), row.getLong("orders"),
					row.getBigDecimal("amount")))
			.list();
	}

	/**
	 * The sales of one day.
	 *
	 * @param day the day in Berlin
	 * @param orders how many orders were posted
	 * @param amount what they came to
	 */
	record SalesReport(LocalDate day, long orders, BigDecimal amount) {

	}

}
