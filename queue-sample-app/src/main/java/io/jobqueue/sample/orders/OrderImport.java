package io.jobqueue.sample.orders;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Reads orders from CSV as it comes in and places them in chunks of one transaction each,
 * so that a file may have any size. A line that is no order is reported and the others
 * are placed. An order whose reference is known is left alone: a file that was cut off
 * can simply be sent again.
 */
@Service
class OrderImport {

	static final List<String> COLUMNS = List.of("reference", "customer", "email", "amount");

	private static final CSVFormat FORMAT = CSVFormat.DEFAULT.builder()
		.setHeader()
		.setSkipHeaderRecord(true)
		.setIgnoreHeaderCase(true)
		.setTrim(true)
		.get();

	private static final int CHUNK = 500;

	private static final int MAX_TRIES = 5;

	private final OrderPlacement placement;

	private final ImportRepository imports;

	OrderImport(OrderPlacement placement, ImportRepository imports) {
		this.placement = placement;
		this.imports = imports;
	}

	/**
	 * Imports a file.
	 * @param csv the file, in UTF-8, with a header
	 * @return what became of its lines
	 * @throws IllegalArgumentException if there is no header with the columns; nothing is
	 * imported then
	 * @throws IOException if the file does not come to its end; what came in whole chunks
	 * is imported
	 */
	ImportResult read(InputStream csv) throws IOException {
		try (CSVParser lines = FORMAT.parse(withoutByteOrderMark(csv))) {
			if (!lines.getHeaderMap().keySet().containsAll(COLUMNS)) {
				throw new IllegalArgumentException("the first line must name the columns " + COLUMNS);
			}
			ImportResult result = new ImportResult(this.imports.create());
			List<Order> chunk = new ArrayList<>(CHUNK);
			Iterator<CSVRecord> records = lines.iterator();
			while (hasNext(records, lines, result)) {
				CSVRecord line = records.next();
				try {
					chunk.add(order(line));
				}
				catch (IllegalArgumentException ex) {
					result.reject(lines.getCurrentLineNumber(), String.valueOf(ex.getMessage()));
				}
				if (chunk.size() == CHUNK) {
					place(chunk, result);
				}
			}
			if (!chunk.isEmpty()) {
				place(chunk, result);
			}
			return result;
		}
	}

	/**
	 * Quotes that do not match leave no way to know where the next line starts.
	 */
	private static boolean hasNext(Iterator<CSVRecord> records, CSVParser lines, ImportResult result)
			throws IOException {
		try {
			return records.hasNext();
		}
		catch (UncheckedIOException ex) {
			if (ex.getCause() instanceof CSVException) {
				result.reject(lines.getCurrentLineNumber(), ex.getCause().getMessage() + "; nothing after it was read");
				return false;
			}
			throw ex.getCause();
		}
	}

	private static Order order(CSVRecord line) {
		if (!line.isConsistent()) {
			throw new IllegalArgumentException("the line has " + line.size() + " columns, unlike the header");
		}
		String reference = line.get("reference");
		if (reference.isEmpty()) {
			throw new IllegalArgumentException("reference is missing: by it a second import knows the order");
		}
		return new Order(reference, line.get("customer"), line.get("email"), amount(line.get("amount")));
	}

	private static BigDecimal amount(String text) {
		if (!text.matches("[0-9]{1,10}(\\.[0-9]{1,2})?")) {
			throw new IllegalArgumentException("amount must be a number such as 12.50");
		}
		return new BigDecimal(text);
	}

	private void place(List<Order> chunk, ImportResult result) {
		for (int tries = 1;; tries++) {
			try {
				int placed = this.placement.place(chunk, result.id());
				result.placed(placed, chunk.size() - placed);
				chunk.clear();
				return;
			}
			catch (DuplicateKeyException | ConcurrencyFailureException ex) {
				// Another import stores the same orders at this moment. Nothing of the
				// chunk was stored; the next look finds those of the other import.
				if (tries == MAX_TRIES) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Spreadsheets like to begin a file with an invisible mark.
	 */
	private static Reader withoutByteOrderMark(InputStream csv) throws IOException {
		BufferedReader reader = new BufferedReader(new InputStreamReader(csv, StandardCharsets.UTF_8));
		reader.mark(1);
		if (reader.read() != '\uFEFF') {
			reader.reset();
		}
		return reader;
	}

}
