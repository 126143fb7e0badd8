package io.jobqueue.sample.orders;

import java.math.BigDecimal;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * An order as it comes in, and the payload of its jobs. A payload is stored as JSON: what
 * is renamed here no longer fits the jobs that are waiting.
 *
 * @param reference what the customer knows the order by; one is made up if it is missing
 * @param customer the customer's name
 * @param email where the receipt goes
 * @param amount what the customer pays, with two decimals
 */
public record Order(String reference, String customer, String email, BigDecimal amount) {

	private static final Pattern REFERENCE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

	private static final Pattern CUSTOMER = Pattern.compile("[^\\p{Cntrl}\uFFFD]{1,100}");

	private static final Pattern EMAIL = Pattern.compile("[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");

	private static final BigDecimal LIMIT = new BigDecimal("10000000000");

	/**
	 * Checks an order.
	 * @throws IllegalArgumentException if it is not one; the message says why
	 */
	public Order {
		if (reference == null) {
			reference = "web-" + UUID.randomUUID();
		}
		check(REFERENCE.matcher(reference).matches(),
				"reference must be up to 64 letters, digits, dots, underscores or hyphens");
		check(customer != null && !customer.isBlank() && CUSTOMER.matcher(customer).matches(),
				"customer must be a name of up to 100 characters, in UTF-8, without control characters");
		check(email != null && email.length() <= 200 && EMAIL.matcher(email).matches(),
				"email must be an address such as ada@example.com");
		check(amount != null && amount.signum() > 0 && amount.compareTo(LIMIT) < 0
				&& amount.stripTrailingZeros().scale() <= 2, "amount must be over 0, with at most two decimals");
		amount = amount.setScale(2);
	}

	private static void check(boolean good, String rule) {
		if (!good) {
			throw new IllegalArgumentException(rule);
		}
	}

}
