package io.jobqueue.store;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CauseTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Order 4711 is not there                                      | Order # is not there
			took 1.250,5 ms at 12:30:05                                  | took # ms at #
			trace 7f0c2d6a-93a1-4a6e-8f0e-0a1b2c3d4e5f failed            | trace # failed
			hash deadbeef01 of 0x7fff                                    | hash # of #
			facade and deadbeef are words                                | facade and deadbeef are words
			com.acme.Order@1b2c3d4e is odd                               | com.acme.Order@# is odd
			a1b2 has a digit                                             | a#b# has a digit
			""")
	void numbersAndIdsDoNotTellCausesApart(String message, String normalized) {
		assertThat(cause(message, "").message()).isEqualTo(normalized);
	}

	@Test
	void onlyTheFirstLineCounts() {
		assertThat(cause("Cannot send\nsee log", "").message()).isEqualTo("Cannot send");
		assertThat(cause("", "").message()).isEmpty();
		assertThat(cause("x".repeat(1_000), "").message()).hasSize(255).endsWith("…");
	}

	@Test
	void thePlaceIsTheApplicationsOwnMethodInTheInnermostException() {
		String trace = """
				java.lang.IllegalStateException: Cannot send
				\tat org.springframework.mail.Sender.send(Sender.java:10)
				\tat com.acme.Receipts.send(Receipts.java:42)
				\tat io.jobqueue.worker.run.AttemptRunner.run(AttemptRunner.java:1)
				\tSuppressed: java.io.IOException: closed
				\t\tat com.acme.Other.close(Other.java:1)
				Caused by: java.net.ConnectException: refused
				\tat java.base/java.net.Socket.connect(Socket.java:5)
				\tat app//com.acme.Smtp.lambda$connect$3(Smtp.java:7)
				\t... 12 more
				""";
		assertThat(cause("", trace).place()).isEqualTo("com.acme.Smtp.connect");
		assertThat(cause("", trace.replace("com.acme.Smtp.lambda", "java.base/java.net.Smtp.lambda")).place())
			.isEqualTo("com.acme.Receipts.send");
	}

	@Test
	void generatedClassesAreNoPlace() {
		assertThat(cause("", """
				x: y
				\tat com.acme.Receipts$$SpringCGLIB$$0.send(<generated>)
				\tat com.acme.Caller.call(Caller.java:3)
				""").place()).isEqualTo("com.acme.Caller.call");
	}

	@Test
	void withoutAnOwnMethodItIsTheFirst() {
		assertThat(cause("", "x\n\tat java.base/java.util.List.of(List.java:1)\n").place())
			.isEqualTo("java.util.List.of");
		assertThat(cause("", "no stack trace").place()).isEmpty();
	}

	@Test
	void theLineInTheCodeDoesNotTellCausesApart() {
		assertThat(cause("m", "x\n\tat com.acme.A.b(A.java:1)").id())
			.isEqualTo(cause("m", "x\n\tat com.acme.A.b(A.java:2)").id())
			.isNotEqualTo(cause("m", "x\n\tat com.acme.A.c(A.java:1)").id());
	}

	@Test
	void textsThatDifferEachTimeAreOneCauseAfterSome() {
		Causes causes = new Causes();
		Set<Long> ids = new HashSet<>();
		for (char first = 'a'; first <= 'z'; first++) {
			for (char second = 'a'; second <= 'z'; second++) {
				ids.add(causes.of(Failure.of(1, "x.Y", "No user " + first + second)).id());
			}
		}
		assertThat(ids).hasSize(Causes.MESSAGES + 1);
		assertThat(causes.of(Failure.of(1, "x.Y", "No user aa")).message()).isEqualTo("No user aa");
		assertThat(causes.of(Failure.of(1, "x.Y", "No user zz")).message()).isEqualTo(Cause.ANY);
		assertThat(causes.of(Failure.of(1, "x.Z", "No user zz")).message()).isEqualTo("No user zz");
	}

	private static Cause cause(String message, String stackTrace) {
		return Cause.of(new Failure(1, "x.Y", message, stackTrace));
	}

}
