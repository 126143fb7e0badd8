package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * The database's clock, by which all times of jobs are. It is asked once a minute; what
 * has passed since is measured here.
 */
public final class DatabaseTime {

	private static final Duration AGAIN = Duration.ofMinutes(1);

	private final LongSupplier nanoTime;

	private final Shared<Seen> seen;

	/**
	 * Creates it; the database is asked when somebody asks.
	 * @param clock asks the database for its time, in UTC
	 */
	public DatabaseTime(Supplier<LocalDateTime> clock) {
		this(clock, System::nanoTime);
	}

	DatabaseTime(Supplier<LocalDateTime> clock, LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.seen = new Shared<>(AGAIN, () -> {
			Instant time = clock.get().toInstant(ZoneOffset.UTC);
			return new Seen(time, nanoTime.getAsLong());
		}, nanoTime);
	}

	/**
	 * What time it is there; null if that is not known, as before the database could be
	 * asked.
	 */
	@Nullable Instant now() {
		Seen known;
		try {
			known = this.seen.get();
		}
		catch (DataAccessException | TransactionException ex) {
			known = this.seen.known();
		}
		return (known != null) ? known.time().plusNanos(this.nanoTime.getAsLong() - known.at()) : null;
	}

	private record Seen(Instant time, long at) {

	}

}
