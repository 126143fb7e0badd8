package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.jobqueue.store.Agenda;
import io.jobqueue.test.LogLines;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What parts of the maintenance get of each other's readings.
 */
class SharedAgendaTests {

	private static final Duration LONGEST = Duration.ofSeconds(7);

	private final AtomicLong clock = new AtomicLong(-1);

	private final AtomicInteger reads = new AtomicInteger();

	private final SharedAgenda agenda = new SharedAgenda(this::read, this.clock::get);

	private Agenda read() {
		this.reads.incrementAndGet();
		return new Agenda(LocalDateTime.MIN, false, this.reads.get() > 1, false, null, false,
				new Agenda.KeysInUse(false, false, false, false, false));
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void whatOneReadsIsForAll() {
		SharedAgenda.News one = this.agenda.news(Duration.ZERO, LONGEST);
		SharedAgenda.News other = this.agenda.news(Duration.ZERO, LONGEST);
		Agenda read = this.agenda.get();
		assertThat(one.next()).map(SharedAgenda.Reading::agenda).contains(read);
		assertThat(other.next()).map(SharedAgenda.Reading::agenda).contains(read);
		assertThat(one.next()).isEmpty();
		pass(Duration.ofSeconds(5));
		this.agenda.get();
		assertThat(one.next()).map(SharedAgenda.Reading::begun).contains(Duration.ofSeconds(5).toNanos() - 1);
		assertThat(other.next()).isPresent();
		assertThat(this.reads).hasValue(2);
	}

	@Test
	void whoFindsNoneReadsItself() {
		SharedAgenda.News news = this.agenda.news(Duration.ZERO, LONGEST);
		assertThat(news.next()).isPresent();
		pass(LONGEST.minusNanos(1));
		assertThat(news.next()).isEmpty();
		assertThat(this.reads).hasValue(1);
		pass(Duration.ofNanos(1));
		assertThat(news.next()).isPresent();
		assertThat(this.reads).hasValue(2);
	}

	@Test
	void aQuestionIsAskedOfTheLatestReading() {
		BooleanSupplier expire = this.agenda.says(Agenda::expire, LONGEST);
		assertThat(expire.getAsBoolean()).isFalse();
		assertThat(expire.getAsBoolean()).isFalse();
		this.agenda.get();
		assertThat(expire.getAsBoolean()).isTrue();
		assertThat(this.reads).hasValue(2);
	}

	@Test
	void readingsThatFollowTooSoonAreLeftOut() {
		SharedAgenda.News rare = this.agenda.news(Duration.ofSeconds(4), LONGEST);
		assertThat(rare.next()).isPresent();
		pass(Duration.ofSeconds(3));
		this.agenda.get();
		assertThat(rare.next()).isEmpty();
		pass(Duration.ofSeconds(1));
		Agenda latest = this.agenda.get();
		assertThat(rare.next()).map(SharedAgenda.Reading::agenda).contains(latest);
	}

	@Test
	void whereItCannotBeReadEachPartHasToLookItself() {
		AtomicInteger failures = new AtomicInteger(1);
		SharedAgenda failing = new SharedAgenda(() -> {
			if (failures.getAndDecrement() > 0) {
				throw new IllegalStateException("away");
			}
			return read();
		}, this.clock::get);
		try (LogLines log = LogLines.of(SharedAgenda.class)) {
			assertThat(failing.get()).isSameAs(Agenda.UNKNOWN);
			assertThat(log.messages()).filteredOn((line) -> line.contains("away")).isNotEmpty();
		}
		assertThat(Agenda.UNKNOWN.rescue()).isTrue();
		assertThat(Agenda.UNKNOWN.untilTick()).isZero();
		assertThat(failing.get()).isNotSameAs(Agenda.UNKNOWN);
	}

	@Test
	void anOutageIsForEachPartToNotice() {
		SharedAgenda away = new SharedAgenda(() -> {
			throw new DataAccessResourceFailureException("away");
		}, this.clock::get);
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(away::get);
		SharedAgenda.News news = away.news(Duration.ZERO, LONGEST);
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(news::next);
	}

	/**
	 * A reading is as old as its start, however long the answer took.
	 */
	@Test
	void timesAreCountedFromTheStartOfARead() {
		SharedAgenda slow = new SharedAgenda(() -> {
			pass(Duration.ofSeconds(3));
			return read();
		}, this.clock::get);
		long start = this.clock.get();
		assertThat(slow.news(Duration.ZERO, LONGEST).next()).map(SharedAgenda.Reading::begun).contains(start);
	}

}
