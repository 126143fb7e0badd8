package io.jobqueue.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * What was asked of the queue and what it answered, a line for each: {@code invoke}, then
 * {@code ok}, {@code fail} or {@code unknown}. An enqueue is known by a token, which is
 * in its job's payload.
 */
final class History implements AutoCloseable {

	private final Map<String, Enqueue> enqueues = new ConcurrentHashMap<>();

	private final List<Pause> pauses = new CopyOnWriteArrayList<>();

	/** Counts what was asked and answered. */
	private final AtomicLong clock = new AtomicLong();

	private volatile boolean databaseClockJumps;

	private final PrintWriter file;

	History(Path path) {
		try {
			this.file = new PrintWriter(Files.newBufferedWriter(path), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void invoke(String token, String type, @Nullable String key) {
		write("invoke enqueue " + token + " " + type + " " + ((key != null) ? key : "-"));
		this.enqueues.put(token, new Enqueue(token, type, key, Answer.UNKNOWN, 0,
				new Span(this.clock.incrementAndGet(), Long.MAX_VALUE)));
	}

	void ok(String token, long id) {
		write("ok enqueue " + token + " " + id);
		this.enqueues.computeIfPresent(token,
				(same, enqueue) -> enqueue.answered(Answer.OK, id, this.clock.incrementAndGet()));
	}

	void fail(String token, Throwable why) {
		write("fail enqueue " + token + " " + firstLine(why));
		this.enqueues.computeIfPresent(token,
				(same, enqueue) -> enqueue.answered(Answer.FAIL, 0, this.clock.incrementAndGet()));
	}

	void unknown(String token, Throwable why) {
		write("unknown enqueue " + token + " " + firstLine(why));
	}

	/** Something that was done to the system, for whoever reads the file. */
	void note(String what) {
		write("fault " + what);
	}

	/** Times that the database has written cannot be compared. */
	void databaseClockJumps() {
		this.databaseClockJumps = true;
	}

	boolean hasComparableTimes() {
		return !this.databaseClockJumps;
	}

	/** A queue was paused, and nobody had told it to go on. */
	void paused(Pause pause) {
		write("paused " + pause);
		this.pauses.add(pause);
	}

	List<Pause> pauses() {
		return List.copyOf(this.pauses);
	}

	private static String firstLine(Throwable why) {
		return why.toString().lines().findFirst().orElse("");
	}

	private void write(String line) {
		this.file.println(System.currentTimeMillis() + " " + line);
	}

	List<Enqueue> enqueues() {
		return List.copyOf(this.enqueues.values());
	}

	Map<Answer, Long> answers() {
		return this.enqueues.values().stream().collect(Collectors.groupingBy(Enqueue::answer, Collectors.counting()));
	}

	@Override
	public void close() {
		this.file.close();
	}

	/**
	 * How an enqueue was answered.
	 */
	enum Answer {

		/** The job is stored. */
		OK,

		/** It is not. */
		FAIL,

		/** It may be stored or not. */
		UNKNOWN

	}

	/**
	 * A pause of a queue.
	 *
	 * @param queue the queue
	 * @param from when it had been paused, by the database's clock
	 * @param until when it was still paused
	 */
	record Pause(String queue, LocalDateTime from, LocalDateTime until) {

	}

	/**
	 * An enqueue.
	 *
	 * @param token what it is known by
	 * @param type the job type
	 * @param key its unique key, or null
	 * @param answer what the queue answered; unknown as long as it has not
	 * @param id the job's id; 0 unless it was answered
	 * @param span when it was asked and answered
	 */
	record Enqueue(String token, String type, @Nullable String key, Answer answer, long id, Span span) {

		Enqueue answered(Answer answer, long id, long at) {
			return new Enqueue(this.token, this.type, this.key, answer, id, new Span(this.span.from(), at));
		}

	}

	/**
	 * From when to when something lasted, in the order of all that was asked and
	 * answered.
	 */
	record Span(long from, long to) {

		boolean isBefore(Span other) {
			return this.to < other.from;
		}

	}

}
