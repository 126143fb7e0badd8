package io.jobqueue.sample;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * The shop. With {@code --generate=1000} it writes a CSV file of that many orders to the
 * standard output instead. With {@code --demo} a day of traffic goes on in it, worth
 * looking at in the dashboard.
 */
@SpringBootApplication
@EnableConfigurationProperties(ShopProperties.class)
@EnableScheduling
public class ShopApplication {

	private static final String GENERATE = "--generate=";

	private static final String DEMO = "--demo";

	/**
	 * Starts the shop, or generates orders.
	 * @param args Spring Boot's arguments and {@code --demo}, or {@code --generate=} and
	 * a number
	 * @throws IOException if the orders cannot be written
	 */
	public static void main(String[] args) throws IOException {
		if (args.length == 1 && args[0].startsWith(GENERATE)) {
			try (Writer out = new OutputStreamWriter(System.out, StandardCharsets.UTF_8)) {
				GenerateOrders.write(Integer.parseInt(args[0].substring(GENERATE.length())), out);
			}
			return;
		}
		SpringApplication shop = new SpringApplication(ShopApplication.class);
		if (Arrays.asList(args).contains(DEMO)) {
			shop.setAdditionalProfiles("demo");
		}
		shop.run(args);
	}

}
