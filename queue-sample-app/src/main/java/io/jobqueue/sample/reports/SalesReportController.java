package io.jobqueue.sample.reports;

import java.util.List;

import io.jobqueue.sample.reports.SalesReports.SalesReport;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shows the sales reports.
 */
@RestController
class SalesReportController {

	private final SalesReports reports;

	SalesReportController(SalesReports reports) {
		this.reports = reports;
	}

	@GetMapping("/reports")
	List<SalesReport> show() {
		return this.reports.all();
	}

}
