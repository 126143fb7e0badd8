package io.jobqueue.sample.cards;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Stands for a payment gateway, which would recognize an order by its reference and
 * charge it once. It fails on purpose, and always for the same orders: where the
 * reference ends with a number that five divides, the first attempt; where fifty divides
 * it, every attempt, until it is repaired.
 */
@Component
class PaymentGateway {

	private static final Pattern NUMBER = Pattern.compile("([0-9]{1,2})$");

	private static final String REPAIRED = "gateway-repaired";

	private final JdbcClient client;

	PaymentGateway(JdbcClient client) {
		this.client = client;
	}

	void charge(String reference, int attempt) {
		Matcher number = NUMBER.matcher(reference);
		int last = number.find() ? Integer.parseInt(number.group(1)) : 1;
		if (last % 50 == 0 && !isRepaired()) {
			throw new GatewayException("The bank of order " + reference + " does not answer");
		}
		if (last % 5 == 0 && attempt == 1) {
			throw new GatewayException("The gateway was too busy for order " + reference);
		}
	}

	boolean isRepaired() {
		return this.client.sql("SELECT COUNT(*) FROM shop_setting WHERE name = ?")
			.param(REPAIRED)
			.query(Long.class)
			.single() > 0;
	}

	/**
	 * Repairs the gateway, for every process of the shop.
	 */
	void repair() {
		try {
			this.client.sql("INSERT INTO shop_setting (name) VALUES (?)").param(REPAIRED).update();
		}
		catch (DuplicateKeyException ex) {
			// It is repaired already.
		}
	}

	/**
	 * Breaks it again.
	 */
	void breakAgain() {
		this.client.sql("DELETE FROM shop_setting WHERE name = ?").param(REPAIRED).update();
	}

	/**
	 * A card could not be charged.
	 */
	static class GatewayException extends RuntimeException {

		GatewayException(String message) {
			super(message);
		}

	}

}
