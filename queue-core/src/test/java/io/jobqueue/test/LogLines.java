package io.jobqueue.test;

import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/**
 * What one class logs while this is open.
 */
public final class LogLines implements AutoCloseable {

	private final Logger logger;

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private LogLines(String source) {
		this.logger = (Logger) LoggerFactory.getLogger(source);
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	/**
	 * Begins to listen.
	 * @param source the class that logs
	 * @return its lines
	 */
	public static LogLines of(Class<?> source) {
		return of(source.getName());
	}

	/**
	 * Begins to listen.
	 * @param source the name of the logger
	 * @return its lines
	 */
	public static LogLines of(String source) {
		return new LogLines(source);
	}

	/**
	 * The events so far.
	 * @return a copy
	 */
	public List<ILoggingEvent> events() {
		return List.copyOf(this.appender.list);
	}

	/**
	 * The messages so far.
	 * @return each with its level before it
	 */
	public List<String> messages() {
		return events().stream().map((event) -> event.getLevel() + " " + event.getFormattedMessage()).toList();
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.appender);
	}

}
