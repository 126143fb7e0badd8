package io.jobqueue;

import java.time.Duration;
import java.time.Instant;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What an application cannot ask for is refused with the value and the rule.
 */
class NewJobTests {

	private static final NewJob JOB = NewJob.of("any");

	@Test
	void aJobThatSaysNothingHasTheDefaults() {
		assertThat(JOB.type()).isEqualTo("any");
		assertThat(JOB.payload()).isNull();
		assertThat(JOB.queue()).isEqualTo("default");
		assertThat(JOB.priority()).isEqualTo(4);
		assertThat(JOB.delay()).isZero();
		assertThat(JOB.availableAt()).isNull();
		assertThat(JOB.uniqueKey()).isNull();
		assertThat(JOB.maxAttempts()).isZero();
		assertThat(JOB.timeout()).isZero();
		assertThat(JOB.expiresAfter()).isNull();
	}

	@Test
	void everyMethodReturnsACopyAndLeavesTheJobAsItWas() {
		NewJob job = NewJob.of("send-receipt", "payload")
			.queue("mail")
			.priority(9)
			.delay(Duration.ofMinutes(5))
			.uniqueKey("receipt-42")
			.maxAttempts(10)
			.timeout(Duration.ofMinutes(2))
			.expiresAfter(Duration.ofHours(1));
		job.queue("other").priority(0).delay(Duration.ZERO).uniqueKey("x").maxAttempts(1).timeout(Duration.ofDays(1));
		assertThat(job.type()).isEqualTo("send-receipt");
		assertThat(job.payload()).isEqualTo("payload");
		assertThat(job.queue()).isEqualTo("mail");
		assertThat(job.priority()).isEqualTo(9);
		assertThat(job.delay()).isEqualTo(Duration.ofMinutes(5));
		assertThat(job.uniqueKey()).isEqualTo("receipt-42");
		assertThat(job.maxAttempts()).isEqualTo(10);
		assertThat(job.timeout()).isEqualTo(Duration.ofMinutes(2));
		assertThat(job.expiresAfter()).isEqualTo(Duration.ofHours(1));
	}

	@Test
	void delayAndTimeReplaceEachOther() {
		Instant time = Instant.parse("2030-01-01T00:00:00Z");
		NewJob timed = JOB.delay(Duration.ofMinutes(5)).availableAt(time);
		assertThat(timed.availableAt()).isEqualTo(time);
		assertThat(timed.delay()).isZero();
		NewJob delayed = timed.delay(Duration.ofMinutes(5));
		assertThat(delayed.availableAt()).isNull();
		assertThat(delayed.delay()).isEqualTo(Duration.ofMinutes(5));
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " ", "a b", "ä", "a/b", "a'b", "a\nb", "<b>",
			"12345678901234567890123456789012345678901234567890123456789012345" })
	void namesFollowTheRule(String name) {
		String shown = (name != null) ? "'" + name.replace('\n', '?') + "'" : "null";
		assertRefused(() -> NewJob.of(name), "type must match [A-Za-z0-9._-]{1,64}, but is " + shown);
		assertRefused(() -> NewJob.of(name, "payload"), "type must match [A-Za-z0-9._-]{1,64}, but is " + shown);
		assertRefused(() -> JOB.queue(name), "queue must match [A-Za-z0-9._-]{1,64}, but is " + shown);
	}

	@Test
	void aLongNameIsNotRepeatedInFull() {
		assertThatIllegalArgumentException().isThrownBy(() -> NewJob.of("x".repeat(100_000)))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(200));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "A.b_c-9", "1234567890123456789012345678901234567890123456789012345678901234" })
	void namesMayBeAnythingWithinTheRule(String name) {
		assertThat(NewJob.of(name).queue(name).queue()).isEqualTo(name);
	}

	@Test
	void aPayloadIsNotNull() {
		assertRefused(() -> NewJob.of("any", null), "payload of a 'any' job must not be null", "NewJob.of(type)");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 10, Integer.MIN_VALUE, Integer.MAX_VALUE })
	void prioritiesAreFrom0To9(int priority) {
		assertRefused(() -> JOB.priority(priority), "priority must be from 0 to 9, but is " + priority);
	}

	@Test
	void theLowestAndTheHighestPriorityAreAllowed() {
		assertThat(JOB.priority(0).priority()).isZero();
		assertThat(JOB.priority(9).priority()).isEqualTo(9);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, Integer.MIN_VALUE })
	void thereIsAtLeastOneAttempt(int maxAttempts) {
		assertRefused(() -> JOB.maxAttempts(maxAttempts), "maxAttempts must be at least 1, but is " + maxAttempts);
	}

	@Test
	void durationsHaveBounds() {
		Duration tooLong = Duration.ofDays(36501);
		assertRefused(() -> JOB.delay(Duration.ofNanos(-1)), "delay must be from PT0S", "but is PT-0.000000001S");
		assertRefused(() -> JOB.delay(tooLong), "delay must be from", "but is " + tooLong);
		assertRefused(() -> JOB.timeout(Duration.ZERO), "timeout must be from PT0.001S", "but is PT0S");
		assertRefused(() -> JOB.timeout(tooLong), "timeout must be from", "but is " + tooLong);
		assertRefused(() -> JOB.expiresAfter(Duration.ZERO), "expiresAfter must be from PT0.001S", "but is PT0S");
		assertRefused(() -> JOB.expiresAfter(tooLong), "expiresAfter must be from", "but is " + tooLong);
		Duration longest = Duration.ofDays(36500);
		assertThat(JOB.delay(longest).timeout(longest).expiresAfter(longest).delay()).isEqualTo(longest);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1969-12-31T23:59:59Z", "9000-01-01T00:00:01Z", "-1000000000-01-01T00:00:00Z",
			"+1000000000-12-31T23:59:59.999999999Z" })
	void timesAreFrom1970To9000(String time) {
		assertRefused(() -> JOB.availableAt(Instant.parse(time)),
				"availableAt must be from 1970 to 9000, but is " + time);
	}

	@Test
	void uniqueKeysHaveALengthThatTheirColumnHolds() {
		assertRefused(() -> JOB.uniqueKey(null), "uniqueKey must have from 1 to 191 characters", "null");
		assertRefused(() -> JOB.uniqueKey(""), "uniqueKey must have from 1 to 191 characters, but has 0");
		assertRefused(() -> JOB.uniqueKey("x".repeat(192)),
				"uniqueKey must have from 1 to 191 characters, but has 192");
		assertThat(JOB.uniqueKey("x".repeat(191)).uniqueKey()).hasSize(191);
		assertThat(JOB.uniqueKey("tea ☕ 🍵").uniqueKey()).isEqualTo("tea ☕ 🍵");
		assertRefused(() -> JOB.uniqueKey("🍵".substring(0, 1)), "uniqueKey must not contain an unpaired surrogate");
	}

	@Test
	void uniqueKeysDoNotEndWithASpace() {
		assertRefused(() -> JOB.uniqueKey("receipt "), "uniqueKey must not end with a space: 'receipt '");
		assertRefused(() -> JOB.uniqueKey(" "), "uniqueKey must not end with a space: ' '");
	}

	@Test
	void theTextOfAJobHasNeitherPayloadNorKey() {
		assertThat(NewJob.of("any", "secret").uniqueKey("confidential").toString()).contains("any", "default")
			.doesNotContain("secret", "confidential");
	}

	private static void assertRefused(ThrowingCallable call, String... inMessage) {
		assertThatIllegalArgumentException().isThrownBy(call)
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(inMessage));
	}

}
