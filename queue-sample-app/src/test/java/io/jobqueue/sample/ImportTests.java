package io.jobqueue.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.jobqueue.sample.RunningShop.Answer;
import io.jobqueue.test.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the README tells users to try, from the file of 1,000 orders to the redrive.
 */
class ImportTests {

	@ParameterizedTest
	@EnumSource(value = TestDatabase.class, names = { "H2", "MYSQL" })
	void everythingIsDoneOnceForEveryOrderOfAFile(TestDatabase database) throws IOException {
		assumeTrue(database.isAvailable(), database::whyNot);
		String file = Files.readString(Path.of("orders-1000.csv"));
		try (RunningShop shop = new RunningShop(database)) {
			Answer answer = shop.postCsv(file);
			assertThat(answer.status()).isEqualTo(202);
			assertThat(answer.number("accepted")).isEqualTo(1000);
			assertThat(answer.number("rejected")).isZero();
			String progress = answer.text("progress");

			await(shop, progress, "remaining", 0);
			Answer done = shop.get(progress);
			assertThat(done.number("total")).isEqualTo(1000);
			assertThat(done.number("percent")).isEqualTo(100);
			assertThat(done.number("receiptsSent")).isEqualTo(1000);
			assertThat(done.number("posted")).isEqualTo(1000);
			assertThat(done.number("charged")).isEqualTo(980);
			assertThat(done.number("dead")).isEqualTo(20);
			eachReceiptCameOnceAndTheLedgerIsExact(shop);
			theDeadTellWhy(shop);

			assertThat(shop.postJson("/gateway/repair", "").at("repaired").asBoolean()).isTrue();
			Answer redrive = shop.postJson("/actuator/jobqueue/redrive",
					"{\"queue\":\"default\",\"type\":\"charge-card\"}");
			assertThat(redrive.number("changed")).isEqualTo(20);
			await(shop, progress, "charged", 1000);
			assertThat(shop.get(progress).number("dead")).isZero();
			await(shop, progress, "reviewsAsked", 1000);

			Answer again = shop.postCsv(file);
			assertThat(again.status()).isEqualTo(202);
			assertThat(again.number("accepted")).isZero();
			assertThat(again.number("known")).isEqualTo(1000);
			assertThat(shop.get(again.text("progress")).number("total")).isZero();
			eachReceiptCameOnceAndTheLedgerIsExact(shop);
		}
	}

	private static void eachReceiptCameOnceAndTheLedgerIsExact(RunningShop shop) {
		Answer mailbox = shop.get("/mailbox");
		assertThat(mailbox.number("mails")).isEqualTo(1000);
		assertThat(mailbox.number("orders")).isEqualTo(1000);
		assertThat(mailbox.number("duplicates")).isZero();
		Answer ledger = shop.get("/ledger");
		assertThat(ledger.number("entries")).isEqualTo(1000);
		assertThat(ledger.number("orders")).isEqualTo(1000);
		assertThat(ledger.number("duplicates")).isZero();
		assertThat(ledger.at("sum").asDecimal()).isEqualByComparingTo("250595.00");
	}

	private static void theDeadTellWhy(RunningShop shop) {
		JsonNode dead = shop.get("/actuator/jobqueue").at("newestDead");
		assertThat(dead.size()).isEqualTo(20);
		for (JsonNode job : dead) {
			assertThat(job.path("type").asString()).isEqualTo("charge-card");
			assertThat(job.path("attempt").asInt()).isEqualTo(3);
			assertThat(job.path("lastError").path("message").asString()).endsWith("does not answer");
		}
	}

	private static void await(RunningShop shop, String progress, String field, long expected) {
		Awaitility.await(field)
			.atMost(Duration.ofSeconds(120))
			.untilAsserted(() -> assertThat(shop.get(progress).number(field)).isEqualTo(expected));
	}

}
