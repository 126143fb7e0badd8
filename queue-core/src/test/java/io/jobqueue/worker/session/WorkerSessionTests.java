package io.jobqueue.worker.session;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.WorkerSessions;
import io.jobqueue.worker.session.WorkerSession.Beat;

import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a worker may regard itself as alive.
 */
class WorkerSessionTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	private int ended;

	private final AtomicLong clock = new AtomicLong(1_000);

	private final FakeSessions sessions = new FakeSessions();

	private final WorkerSession session = new WorkerSession(this.sessions,
			new WorkerSessions.NewSession("worker", 1, List.of(), List.of()), TIMEOUT, () -> 0, () -> this.ended++,
			this.clock::get);

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void isNotCurrentBeforeItIsOpen() {
		assertThat(this.session.isCurrent()).isFalse();
		this.sessions.down = true;
		assertThat(this.session.beat()).isEqualTo(Beat.FAILED);
		assertThat(this.session.isCurrent()).isFalse();
		this.sessions.down = false;
		assertThat(this.session.beat()).isEqualTo(Beat.GOOD);
		assertThat(this.session.isCurrent()).isTrue();
	}

	@Test
	void isNotCurrentOnceTheTimeoutHasPassedSinceTheLastGoodHeartbeatWasSent() {
		this.session.beat();
		this.sessions.takes = Duration.ofSeconds(10);
		assertThat(this.session.beat()).isEqualTo(Beat.GOOD);
		pass(Duration.ofSeconds(4));
		assertThat(this.session.isCurrent()).isTrue();
		pass(Duration.ofSeconds(1));
		assertThat(this.session.isCurrent()).as("15 s after sending, though 5 s after the answer").isFalse();
	}

	@Test
	void anOutageDoesNotEndTheSession() {
		this.session.beat();
		long id = this.session.id();
		this.sessions.down = true;
		pass(Duration.ofMinutes(1));
		assertThat(this.session.beat()).isEqualTo(Beat.FAILED);
		assertThat(this.session.isCurrent()).isFalse();
		this.sessions.down = false;
		assertThat(this.session.beat()).isEqualTo(Beat.GOOD);
		assertThat(this.session.isCurrent()).isTrue();
		assertThat(this.session.id()).isEqualTo(id);
	}

	@Test
	void aSessionThatOthersEndedIsReplaced() {
		this.session.beat();
		long id = this.session.id();
		this.sessions.ended = true;
		assertThat(this.session.beat()).isEqualTo(Beat.ENDED);
		assertThat(this.session.id()).isNotEqualTo(id);
		assertThat(this.ended).isEqualTo(1);
		assertThat(this.session.isCurrent()).isTrue();
	}

	@Test
	void bearsWitnessToAnOutageThatIsOver() {
		this.session.beat();
		pass(Duration.ofSeconds(1));
		long before = this.clock.get();
		assertThat(this.session.lostSince(before)).isFalse();
		pass(Duration.ofSeconds(1));
		this.sessions.down = true;
		this.session.beat();
		this.sessions.down = false;
		pass(Duration.ofSeconds(1));
		assertThat(this.session.lostSince(before)).isTrue();
		assertThat(this.session.lostSince(this.clock.get())).isFalse();
	}

	/**
	 * As many do whose connections die with the server: their first statement fails at
	 * once, and the next heartbeat finds the server back.
	 */
	@Test
	void bearsWitnessToAnOutageInWhichAnAttemptStarted() {
		this.session.beat();
		this.sessions.down = true;
		this.session.beat();
		pass(Duration.ofSeconds(1));
		long during = this.clock.get();
		pass(Duration.ofSeconds(1));
		this.sessions.down = false;
		assertThat(this.session.lostSince(during)).isTrue();
		pass(Duration.ofSeconds(1));
		assertThat(this.session.lostSince(during)).isTrue();
		assertThat(this.session.lostSince(this.clock.get())).isFalse();
	}

	/**
	 * The next one, an interval later, would come after the session timeout.
	 */
	@Test
	void aHeartbeatThatWasGivenUpLateIsSentAgainAtOnce() {
		Duration interval = Duration.ofSeconds(5);
		this.session.beatInTime(interval);
		pass(interval);
		this.sessions.takes = TIMEOUT.dividedBy(2);
		this.sessions.failures = 1;
		this.session.beatInTime(interval);
		assertThat(this.session.isCurrent()).isTrue();
		pass(Duration.ofSeconds(7));
		assertThat(this.session.isCurrent()).isTrue();
	}

	@Test
	void aHeartbeatThatFailsAtOnceIsNotSentAgainAtOnce() {
		this.session.beatInTime(Duration.ofSeconds(5));
		this.sessions.failures = 1;
		long good = this.sessions.sent;
		this.session.beatInTime(Duration.ofSeconds(5));
		assertThat(this.sessions.sent).isEqualTo(good + 1);
	}

	/**
	 * Sessions in memory that can fail.
	 */
	private final class FakeSessions implements WorkerSessions {

		private boolean down;

		private boolean ended;

		private Duration takes = Duration.ZERO;

		private long ids;

		private long sent;

		private int failures;

		@Override
		public long open(NewSession session, Duration timeout) {
			failIfDown();
			this.ended = false;
			return ++this.ids;
		}

		@Override
		public boolean heartbeat(long sessionId, int busy, Duration timeout) {
			this.sent++;
			pass(this.takes);
			this.takes = Duration.ZERO;
			failIfDown();
			if (this.failures-- > 0) {
				throw new DataAccessResourceFailureException("silent");
			}
			return !this.ended;
		}

		private void failIfDown() {
			if (this.down) {
				throw new DataAccessResourceFailureException("down");
			}
		}

		@Override
		public void close(long sessionId) {
		}

		@Override
		public Expired expired() {
			return new Expired(LocalDateTime.MIN, Map.of());
		}

		@Override
		public boolean endExpired(long sessionId, LocalDateTime notAfter) {
			return false;
		}

		@Override
		public List<Session> list() {
			return List.of();
		}

		@Override
		public void disconnect() {
		}

	}

}
