package io.jobqueue.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

import io.jobqueue.Backoff;
import io.jobqueue.JobHandler;
import io.jobqueue.OnDead;
import io.jobqueue.PermanentJobException;
import io.jobqueue.Recurring;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Jobs as shops have them: quick ones, slow ones, a partner that is away now and then.
 */
@Component
@Profile("demo")
class DemoJobs {

	/** Each multiple of it is an article that the partner does not know. */
	static final int UNKNOWN_ARTICLE = 97;

	/** The stop of a parcel that fails. */
	static final String LOST = "lost";

	private static final Duration AWAY_EVERY = Duration.ofMinutes(12);

	private static final Duration AWAY_FOR = Duration.ofMinutes(2);

	private final Instant begun = Instant.now();

	@JobHandler("resize-picture")
	void resize(int picture) throws InterruptedException {
		take(20, 120);
	}

	@JobHandler(value = "render-catalogue", timeout = "1m")
	void render(int page) throws InterruptedException {
		take(800, 3000);
	}

	@JobHandler(value = "book-stock", limit = "stock-partner", maxAttempts = 3, backoff = @Backoff(delay = "2s"))
	void book(int article) throws InterruptedException {
		take(60, 250);
		if (isAway()) {
			throw new IllegalStateException("The stock partner answered 503 for article " + article);
		}
		if (article % UNKNOWN_ARTICLE == 0) {
			throw new PermanentJobException("The stock partner does not know article " + article);
		}
	}

	private boolean isAway() {
		return Duration.between(this.begun, Instant.now()).toMillis()
				% AWAY_EVERY.toMillis() > AWAY_EVERY.minus(AWAY_FOR).toMillis();
	}

	@JobHandler(value = "move-parcel", onDead = OnDead.BLOCK, maxAttempts = 2, backoff = @Backoff(delay = "1s"))
	void move(Parcel parcel) throws InterruptedException {
		take(30, 200);
		if (parcel.stop().equals(LOST)) {
			throw new IllegalStateException("Parcel " + parcel.number() + " was not at its stop");
		}
	}

	@Recurring(cron = "0 * * * * *")
	@JobHandler("refresh-exchange-rates")
	void refresh() throws InterruptedException {
		take(200, 900);
	}

	@Recurring(every = "5m")
	@JobHandler(value = "export-to-warehouse", timeout = "1m")
	void export() throws InterruptedException {
		take(4000, 9000);
	}

	private static void take(int least, int most) throws InterruptedException {
		Thread.sleep(ThreadLocalRandom.current().nextInt(least, most));
	}

	/**
	 * A parcel at one of its stops.
	 *
	 * @param number its number
	 * @param stop where it is
	 */
	record Parcel(int number, String stop) {

	}

}
