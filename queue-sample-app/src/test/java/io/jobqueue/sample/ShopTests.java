package io.jobqueue.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.jobqueue.sample.RunningShop.Answer;
import io.jobqueue.test.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop as it starts by default, one request at a time.
 */
class ShopTests {

	private static final String HEADER = "reference,customer,email,amount\n";

	private static RunningShop shop;

	@BeforeAll
	static void open() {
		shop = new RunningShop(TestDatabase.H2);
	}

	@AfterAll
	static void close() {
		shop.close();
	}

	@Test
	void anOrderGetsItsReceiptItsLedgerEntryItsChargeAndLaterAReview() {
		Answer placed = shop.postJson("/orders", """
				{"reference":"o-1","customer":"Änne \\"Ä\\" Müller","email":"aenne@example.com","amount":12.5}""");
		assertThat(placed.status()).isEqualTo(201);
		assertThat(placed.location()).endsWith("/orders/" + placed.number("id"));

		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			Answer order = shop.get(placed.location());
			for (String type : List.of("send-receipt", "post-to-ledger", "charge-card", "ask-for-review")) {
				assertThat(order.at("jobs").path(type).path("state").asString()).as(type).isEqualTo("SUCCEEDED");
			}
			assertThat(order.number("ledgerEntries")).isOne();
			assertThat(order.at("reviewAsked").asBoolean()).isTrue();
			assertThat(order.at("order").path("amount").asDecimal()).isEqualByComparingTo("12.50");
		});
		Answer job = shop.get(shop.get(placed.location()).at("links").path("send-receipt").asString());
		assertThat(job.text("queue")).isEqualTo("mail");
		assertThat(job.number("priority")).isEqualTo(7);
	}

	@Test
	void theSalesReportIsScheduledAndCanBeMadeAtAnyTime() {
		Answer schedules = shop.get("/actuator/jobqueue/schedules");
		assertThat(schedules.body().toString()).contains("nightly-sales-report", "0 0 0 * * *", "Europe/Berlin");
		shop.postJson("/orders", "{\"reference\":\"r-1\",\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}");
		Awaitility.await().untilAsserted(() -> assertThat(shop.get("/ledger").number("entries")).isPositive());
		assertThat(shop.postJson("/actuator/jobqueue/trigger", "{\"schedule\":\"nightly-sales-report\"}")
			.number("changed")).isOne();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(shop.get("/reports").body().toString()).contains("\"orders\":", "\"amount\":"));
	}

	@Test
	void thePartnerGetsNoMoreCallsThanItTakes() {
		assertThat(shop.postJson("/payouts", "{\"count\":0}").status()).isEqualTo(400);
		assertThat(shop.postJson("/payouts", "{\"count\":60}").status()).isEqualTo(202);
		Awaitility.await().untilAsserted(() -> assertThat(shop.get("/payouts").number("done")).isEqualTo(60));
		Answer calls = shop.get("/payouts");
		assertThat(calls.number("refused")).isZero();
		assertThat(calls.number("mostAtOnce")).isBetween(2L, 5L);
		assertThat(calls.number("mostInASecond")).isLessThanOrEqualTo(56);
		assertThat(shop.postJson("/actuator/jobqueue/limit", "{\"limit\":\"payment-partner\",\"starts\":100}")
			.number("changed")).isOne();
		Answer limits = shop.get("/actuator/jobqueue/limits");
		assertThat(limits.at("limits").path(0).path("starts").asInt()).isEqualTo(100);
		assertThat(limits.at("limits").path(0).path("types").path(0).asString()).isEqualTo("pay-out");
		assertThat(shop.postJson("/actuator/jobqueue/limit", "{\"limit\":\"payment-partner\",\"starts\":50}")
			.number("changed")).isOne();
	}

	@Test
	void viewsAreWrittenDownManyAtOnce() {
		assertThat(shop.postJson("/views", "{\"count\":0}").status()).isEqualTo(400);
		assertThat(shop.postJson("/views", "{\"count\":2000}").status()).isEqualTo(202);
		Awaitility.await().untilAsserted(() -> assertThat(shop.get("/views").number("views")).isEqualTo(1_999));
		assertThat(shop.get("/views").number("calls")).isLessThan(1_000);
		assertThat(shop.get("/views").number("largestChunk")).isBetween(2L, 500L);
	}

	@Test
	void changesOfAnOrderAreMailedInTheirOrder() {
		long id = shop
			.postJson("/orders",
					"{\"reference\":\"changed-1\",\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}")
			.number("id");
		for (int i = 1; i <= 5; i++) {
			assertThat(shop.postJson("/orders/" + id + "/changes", "{\"text\":\"change " + i + "\"}").number("number"))
				.isEqualTo(i);
		}
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			List<String> mailedAt = new ArrayList<>();
			shop.get("/orders/" + id + "/changes")
				.body()
				.forEach((change) -> mailedAt.add(change.path("mailedAt").asString("")));
			assertThat(mailedAt).hasSize(5).doesNotContain("").isSorted();
		});
		assertThat(shop.postJson("/orders/" + id + "/changes", "{\"text\":\" \"}").status()).isEqualTo(400);
		assertThat(shop.postJson("/orders/999999/changes", "{\"text\":\"change\"}").status()).isEqualTo(404);
	}

	@Test
	void anOrderThatIsSentAgainIsNotPlacedAgain() {
		String order = "{\"reference\":\"again-1\",\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}";
		Answer first = shop.postJson("/orders", order);
		Answer second = shop.postJson("/orders", order);
		assertThat(first.status()).isEqualTo(201);
		assertThat(second.status()).isEqualTo(200);
		assertThat(second.number("id")).isEqualTo(first.number("id"));
		assertThat(second.at("jobs").path("send-receipt").path("id"))
			.isEqualTo(first.at("jobs").path("send-receipt").path("id"));
	}

	@Test
	void anOrderMayLeaveItsReferenceOut() {
		Answer placed = shop.postJson("/orders", "{\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}");
		assertThat(placed.status()).isEqualTo(201);
		assertThat(placed.at("order").path("reference").asString()).startsWith("web-");
	}

	@Test
	void aFlakyChargeIsTriedAgain() {
		Answer placed = shop.postJson("/orders",
				"{\"reference\":\"flaky-5\",\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}");
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			var charge = shop.get(placed.location()).at("jobs").path("charge-card");
			assertThat(charge.path("state").asString()).isEqualTo("SUCCEEDED");
			assertThat(charge.path("attempt").asInt()).isEqualTo(2);
			assertThat(charge.path("lastError").asString()).contains("too busy");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "no JSON", "{}", "[]", "{\"customer\":\"A\",\"email\":\"a@example.com\"}",
			"{\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":\"much\"}",
			"{\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":-1}",
			"{\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1.001}",
			"{\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1e400000000}",
			"{\"customer\":\"A\",\"email\":\"nowhere\",\"amount\":1}",
			"{\"customer\":\"A\\nBcc: b@example.com\",\"email\":\"a@example.com\",\"amount\":1}",
			"{\"reference\":\"a b\",\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}" })
	void whatIsNoOrderIsRefusedWithAReason(String body) {
		Answer answer = shop.postJson("/orders", body);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.text("detail")).isNotBlank();
	}

	@Test
	void linesThatAreNoOrdersAreReportedAndTheOthersPlaced() {
		Answer answer = shop.postCsv(HEADER + """
				lines-1,"Last, First",a@example.com,1.50
				lines-2,A,nowhere,1
				lines-3,A,a@example.com

				lines-4,"A ""B"" C",a@example.com,2
				,A,a@example.com,2
				lines-4,once more,a@example.com,2
				lines-5,A,a@example.com,one""");
		assertThat(answer.status()).isEqualTo(202);
		assertThat(answer.number("accepted")).isEqualTo(2);
		assertThat(answer.number("known")).isEqualTo(1);
		assertThat(answer.number("rejected")).isEqualTo(4);
		assertThat(answer.at("rejectedLines").valueStream().map((line) -> line.path("line").asInt())).containsExactly(3,
				4, 7, 9);
		assertThat(answer.at("rejectedLines").get(0).path("reason").asString()).startsWith("email must be");
	}

	@Test
	void whatComesAfterAQuoteWithoutItsPairIsNotRead() {
		Answer answer = shop.postCsv(HEADER + "quote-1,A,a@example.com,1\nquote-2,\"A,a@example.com,1\nquote-3,A,b,1");
		assertThat(answer.status()).isEqualTo(202);
		assertThat(answer.number("accepted")).isEqualTo(1);
		assertThat(answer.at("rejectedLines").get(0).path("reason").asString()).contains("nothing after it was read");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\n", "a;b\n1;2\n", "\"reference", "reference,customer,email\nx,y,z\n",
			HEADER + "none-1,A,nowhere,1\n" })
	void aFileWithoutAnOrderIsRefused(String csv) {
		assertThat(shop.postCsv(csv).status()).isEqualTo(400);
	}

	@Test
	void aByteOrderMarkAndAHeaderInCapitalsDoNotMatter() {
		Answer answer = shop.postCsv("\uFEFFReference,CUSTOMER,Email,Amount\r\nmark-1,A,a@example.com,1\r\n");
		assertThat(answer.number("accepted")).isEqualTo(1);
	}

	@Test
	void oneFileSentTwiceAtOnceIsPlacedOnce() {
		String file = HEADER + IntStream.range(0, 700)
			.mapToObj((i) -> "race-" + i + "-x,A,a@example.com,1")
			.collect(Collectors.joining("\n"));
		List<CompletableFuture<Answer>> imports = IntStream.range(0, 3)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> shop.postCsv(file)))
			.toList();
		List<Answer> answers = imports.stream().map(CompletableFuture::join).toList();
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.status()).isEqualTo(202));
		assertThat(answers.stream().mapToLong((answer) -> answer.number("accepted")).sum()).isEqualTo(700);
		assertThat(answers.stream().mapToLong((answer) -> answer.number("known")).sum()).isEqualTo(1400);
	}

	@Test
	void whatIsNotThereIsNotFound() {
		assertThat(shop.get("/orders/999999").status()).isEqualTo(404);
		assertThat(shop.get("/orders/import/999999").status()).isEqualTo(404);
		assertThat(shop.post("/orders/import", "application/json", "{}").status()).isEqualTo(415);
	}

	@Test
	void theGatewayBreaksAgain() {
		assertThat(shop.postJson("/gateway/repair", "").at("repaired").asBoolean()).isTrue();
		assertThat(shop.postJson("/gateway/repair", "").at("repaired").asBoolean()).isTrue();
		assertThat(shop.postJson("/gateway/break", "").at("repaired").asBoolean()).isFalse();
	}

	@Test
	void theShopIsHealthy() {
		assertThat(shop.get("/actuator/health").text("status")).isEqualTo("UP");
		assertThat(shop.get("/actuator/metrics/jobqueue.slots").status()).isEqualTo(200);
	}

	@Test
	void aSecondShopUsesTheMailServerThatIsThereAndTakesOverWhenItEnds() throws IOException {
		ServerSocket taken = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
		try (RunningShop second = new RunningShop(TestDatabase.H2, "--shop.smtp.port=" + taken.getLocalPort())) {
			assertThat(second.get("/mailbox").status()).isEqualTo(404);
			assertThat(second.get("/ledger").status()).isEqualTo(200);
			taken.close();
			second.postJson("/orders",
					"{\"reference\":\"over-1\",\"customer\":\"A\",\"email\":\"a@example.com\",\"amount\":1}");
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				assertThat(second.get("/mailbox").status()).isEqualTo(200);
				assertThat(second.get("/mailbox").number("mails")).isOne();
			});
		}
		finally {
			taken.close();
		}
	}

}
