package io.jobqueue.sample.payouts;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import org.springframework.stereotype.Component;

/**
 * Stands for a payment partner. It refuses a sixth call while five are open, and counts
 * how many came in any second.
 */
@Component
class PaymentPartner {

	private static final int MOST_AT_ONCE = 5;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final long CALL_MILLIS = 50;

	private final Object lock = new Object();

	private final Deque<Long> lastSecond = new ArrayDeque<>();

	private int open;

	private int mostAtOnce;

	private int mostInASecond;

	private int done;

	private int refused;

	void pay(Payout payout) throws InterruptedException {
		begin(payout);
		try {
			Thread.sleep(CALL_MILLIS);
		}
		finally {
			end();
		}
	}

	private void begin(Payout payout) {
		synchronized (this.lock) {
			if (this.open == MOST_AT_ONCE) {
				this.refused++;
				throw new IllegalStateException("Payout " + payout.number() + " is refused: five calls are open");
			}
			this.open++;
			this.mostAtOnce = Math.max(this.mostAtOnce, this.open);
			long now = System.nanoTime();
			this.lastSecond.add(now);
			while (now - this.lastSecond.element() >= SECOND) {
				this.lastSecond.remove();
			}
			this.mostInASecond = Math.max(this.mostInASecond, this.lastSecond.size());
		}
	}

	private void end() {
		synchronized (this.lock) {
			this.open--;
			this.done++;
		}
	}

	Calls calls() {
		synchronized (this.lock) {
			return new Calls(this.done, this.refused, this.mostAtOnce, this.mostInASecond);
		}
	}

	/**
	 * What the partner has seen.
	 *
	 * @param done how many payouts it has made
	 * @param refused how many calls it has refused
	 * @param mostAtOnce how many were open at once, at most
	 * @param mostInASecond how many came in any second, at most
	 */
	record Calls(int done, int refused, int mostAtOnce, int mostInASecond) {

	}

}
