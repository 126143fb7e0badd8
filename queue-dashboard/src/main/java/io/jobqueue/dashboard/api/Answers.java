package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Answers with data. They say what time the database has, by whose clock all times of
 * jobs are, and how old they are where they were read for several who ask.
 */
final class Answers {

	private static final String TIME = "Database-Time";

	private static final int AT_ONCE = 4;

	/** Longer, requests would take the application's threads. */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	private static final Map<String, String> NOTHING = Map.of("error", "There is no such thing, or not any more");

	private final Semaphore turns = new Semaphore(AT_ONCE);

	private final DatabaseTime time;

	Answers(DatabaseTime time) {
		this.time = time;
	}

	ServerResponse of(Object body) {
		return answer(ServerResponse.ok(), body);
	}

	/**
	 * What is known without the database, which may be away.
	 */
	ServerResponse withoutTime(HttpStatus status, Object body) {
		return ServerResponse.status(status).contentType(MediaType.APPLICATION_JSON).body(body);
	}

	/**
	 * What was read for all who ask, some time ago: as HTTP says it.
	 */
	ServerResponse aged(Aged<?> read) {
		return answer(ServerResponse.ok().header(HttpHeaders.AGE, Long.toString(read.age().toSeconds())), read.value());
	}

	/**
	 * What is read for the one who asks; nothing if it is not there. Whoever asks for
	 * much at once must not take all connections.
	 */
	ServerResponse inTurn(Supplier<? extends @Nullable Object> read) {
		return inTurn(read, (body) -> body);
	}

	/**
	 * The same, where something is to be added after the turn.
	 */
	<T extends @Nullable Object> ServerResponse inTurn(Supplier<T> read, Function<? super @NonNull T, Object> then) {
		if (!isMyTurn()) {
			throw new CannotAcquireLockException("Others read");
		}
		T body;
		try {
			body = read.get();
		}
		finally {
			this.turns.release();
		}
		return (body != null) ? of(then.apply(body)) : withoutTime(HttpStatus.NOT_FOUND, NOTHING);
	}

	private boolean isMyTurn() {
		try {
			return this.turns.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private ServerResponse answer(ServerResponse.BodyBuilder answer, Object body) {
		Instant now = this.time.now();
		if (now != null) {
			answer.header(TIME, now.toString());
		}
		return answer.contentType(MediaType.APPLICATION_JSON).body(body);
	}

}
