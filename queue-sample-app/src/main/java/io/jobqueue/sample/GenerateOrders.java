package io.jobqueue.sample;

import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.Locale;

import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * Writes orders as CSV, the same for the same number. Some names are hard to read on
 * purpose: commas, quotes, letters beyond ASCII.
 */
final class GenerateOrders {

	private static final String[] CUSTOMERS = { "Ada Lovelace", "Müller, Änne", "Sean \"Red\" O'Brien", "Łukasz Żak",
			"Grace Hopper", "李小龙", "\"Quoted, Inc.\"", "José da Conceição", "Νίκος Καζαντζάκης", "Zoë 🌻",
			"Édith; Piaf" };

	private GenerateOrders() {
	}

	static void write(int orders, Writer out) throws IOException {
		CSVFormat format = CSVFormat.DEFAULT.builder()
			.setHeader("reference", "customer", "email", "amount")
			.setRecordSeparator("\n")
			.get();
		try (CSVPrinter csv = new CSVPrinter(out, format)) {
			for (int i = 1; i <= orders; i++) {
				csv.printRecord(String.format(Locale.ROOT, "order-%06d", i), CUSTOMERS[i % CUSTOMERS.length],
						"customer" + i + "@example.com", BigDecimal.valueOf(100 + i * 7919L % 50000, 2));
			}
		}
	}

}
