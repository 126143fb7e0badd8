package io.jobqueue.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The shop's settings.
 *
 * @param reviewDelay how long after an order its customer is asked for a review
 * @param smtp the SMTP server that the shop brings along
 */
@ConfigurationProperties("shop")
public record ShopProperties(@DefaultValue("30s") Duration reviewDelay, @DefaultValue Smtp smtp) {

	/**
	 * The SMTP server that the shop brings along.
	 *
	 * @param embedded whether to start it
	 * @param port where it listens; 0 for any free port
	 */
	public record Smtp(@DefaultValue("true") boolean embedded, @DefaultValue("3025") int port) {

	}

}
