package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import org.springframework.jdbc.CannotGetJdbcConnectionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is read once for all who look.
 */
class SharedTests {

	private final AtomicLong now = new AtomicLong();

	private int reads;

	private Duration takes = Duration.ZERO;

	private Supplier<Integer> read = () -> {
		pass(this.takes);
		return ++this.reads;
	};

	private final Shared<Integer> shared = new Shared<>(Duration.ofSeconds(3), () -> this.read.get(), this.now::get);

	private void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

	@Test
	void itIsReadAgainAfterTheInterval() {
		assertThat(this.shared.get()).isEqualTo(1);
		pass(Duration.ofMillis(2_999));
		assertThat(this.shared.get()).isEqualTo(1);
		pass(Duration.ofMillis(1));
		assertThat(this.shared.get()).isEqualTo(2);
	}

	@Test
	void theLongerAReadTakesTheLaterTheNextOneIsButNotForEver() {
		this.takes = Duration.ofSeconds(1);
		assertThat(this.shared.get()).isEqualTo(1);
		pass(Duration.ofSeconds(19));
		assertThat(this.shared.get()).isEqualTo(1);
		pass(Duration.ofSeconds(1));
		this.takes = Duration.ofMinutes(10);
		assertThat(this.shared.get()).isEqualTo(2);
		pass(Duration.ofSeconds(299));
		assertThat(this.shared.get()).isEqualTo(2);
		pass(Duration.ofSeconds(1));
		assertThat(this.shared.get()).isEqualTo(3);
	}

	@Test
	void aFailureThatTookLongIsToldForAsLongAgain() {
		Supplier<Integer> works = this.read;
		assertThat(this.shared.get()).isEqualTo(1);
		pass(Duration.ofSeconds(3));
		this.read = () -> {
			pass(Duration.ofSeconds(30));
			throw new IllegalStateException("away");
		};
		assertThatIllegalStateException().isThrownBy(this.shared::get).withMessage("away");
		this.read = works;
		assertThatIllegalStateException().as("told to all").isThrownBy(this.shared::get).withMessage("away");
		assertThat(this.shared.known()).isEqualTo(1);
		pass(Duration.ofSeconds(29));
		assertThatIllegalStateException().isThrownBy(this.shared::get).withMessage("away");
		pass(Duration.ofSeconds(1));
		assertThat(this.shared.get()).isEqualTo(2);
	}

	/** The server is not at work on anything then, and may be back at once. */
	@Test
	void aWaitForAConnectionIsNotWaitedForOnceMore() {
		Supplier<Integer> works = this.read;
		this.read = () -> {
			pass(Duration.ofSeconds(30));
			throw new CannotGetJdbcConnectionException("away");
		};
		assertThatExceptionOfType(CannotGetJdbcConnectionException.class).isThrownBy(this.shared::get);
		this.read = works;
		pass(Duration.ofMillis(2_999));
		assertThatExceptionOfType(CannotGetJdbcConnectionException.class).isThrownBy(this.shared::get);
		pass(Duration.ofMillis(1));
		assertThat(this.shared.get()).isEqualTo(1);
	}

	@Test
	void aFailureIsToldForThreeSecondsAtMost() {
		Shared<Integer> rare = new Shared<>(Duration.ofMinutes(30), () -> this.read.get(), this.now::get);
		Supplier<Integer> works = this.read;
		this.read = () -> {
			throw new IllegalStateException("busy");
		};
		assertThatIllegalStateException().isThrownBy(rare::get);
		this.read = works;
		pass(Duration.ofSeconds(3));
		assertThat(rare.get()).isEqualTo(1);
	}

	/** What was read may be older than the change. */
	@Test
	void whatWasChangedDuringAReadIsReadOnceMore() {
		Supplier<Integer> works = this.read;
		this.read = () -> {
			this.shared.expire();
			return works.get();
		};
		assertThat(this.shared.get()).isEqualTo(1);
		this.read = works;
		assertThat(this.shared.get()).isEqualTo(2);
		assertThat(this.shared.get()).isEqualTo(2);
	}

	@Test
	void whoeverChangesMuchDoesNotMakeTheDatabaseReadAllTheTime() {
		this.takes = Duration.ofSeconds(4);
		assertThat(this.shared.get()).isEqualTo(1);
		this.shared.expire();
		pass(Duration.ofMillis(3_999));
		assertThat(this.shared.get()).isEqualTo(1);
		pass(Duration.ofMillis(1));
		assertThat(this.shared.get()).isEqualTo(2);
	}

	@Test
	void whatIsReadHasTheAgeOfTheBeginningOfItsRead() {
		this.takes = Duration.ofSeconds(2);
		assertThat(this.shared.aged()).isEqualTo(new Aged<>(1, Duration.ofSeconds(2)));
		pass(Duration.ofSeconds(5));
		assertThat(this.shared.aged()).isEqualTo(new Aged<>(1, Duration.ofSeconds(7)));
	}

	@Test
	void whatWasChangedIsReadAtOnce() {
		assertThat(this.shared.get()).isEqualTo(1);
		this.shared.expire();
		assertThat(this.shared.get()).isEqualTo(2);
	}

}
