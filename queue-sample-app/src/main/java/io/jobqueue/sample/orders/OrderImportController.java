package io.jobqueue.sample.orders;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;

import org.apache.commons.csv.CSVException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * Takes files of orders and shows how far they are.
 */
@RestController
class OrderImportController {

	private final OrderImport orderImport;

	private final ImportRepository imports;

	private final ImportProgressLog progressLog;

	OrderImportController(OrderImport orderImport, ImportRepository imports, ImportProgressLog progressLog) {
		this.orderImport = orderImport;
		this.imports = imports;
		this.progressLog = progressLog;
	}

	/**
	 * Imports a file: 202, with the lines that were no orders; 400 if there was no order
	 * in it at all.
	 */
	@PostMapping(path = "/orders/import", consumes = "text/csv")
	ResponseEntity<Answer> importOrders(InputStream csv) throws IOException {
		ImportResult result = read(csv);
		this.progressLog.watch(result.id());
		boolean useless = result.rejected() > 0 && result.accepted() + result.known() == 0;
		URI progress = ServletUriComponentsBuilder.fromCurrentContextPath()
			.path("/orders/import/" + result.id())
			.build()
			.toUri();
		return ResponseEntity.status(useless ? HttpStatus.BAD_REQUEST : HttpStatus.ACCEPTED)
			.body(new Answer(result.id(), result.accepted(), result.known(), result.rejected(), result.reported(),
					progress));
	}

	private ImportResult read(InputStream csv) throws IOException {
		try {
			return this.orderImport.read(csv);
		}
		catch (IllegalArgumentException | CSVException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Nothing was imported: " + ex.getMessage(), ex);
		}
	}

	@GetMapping("/orders/import/{id}")
	ImportProgress progress(@PathVariable long id) {
		return this.imports.progress(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No import " + id));
	}

	/**
	 * What became of a file.
	 *
	 * @param id the import's id
	 * @param accepted how many orders were placed
	 * @param known how many had been placed before
	 * @param rejected how many lines were no orders
	 * @param rejectedLines the first hundred of those, and why
	 * @param progress where to see how far the orders are
	 */
	record Answer(long id, int accepted, int known, int rejected, List<ImportResult.RejectedLine> rejectedLines,
			URI progress) {

	}

}
