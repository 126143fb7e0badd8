package io.jobqueue.spring.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.jobqueue.Limit;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One limit, {@code jobqueue.limits.<name>}. Where nodes are configured in different
 * ways, the newest one holds for all: that of the highest
 * {@code jobqueue.schedules.revision}, and of these the one that was first seen later. It
 * is written to the database once; what is changed there by hand is kept until another
 * one holds.
 *
 * @param running how many jobs may run at once on all nodes together; 0 for any number
 * @param starts how many may start within the time "per"; 0 for any number
 * @param per the time in which so many may start
 * @param burst how many of them may start at one moment; the default is a tenth
 */
public record LimitProperties(@DefaultValue("0") int running, @DefaultValue("0") int starts,
		@DefaultValue("1s") Duration per, @Nullable Integer burst) {

	/**
	 * Checks the limit.
	 * @param name its name
	 * @throws IllegalArgumentException if a number is out of its range, or the name
	 * breaks the rule
	 */
	void check(String name) {
		try {
			toLimit(name);
		}
		catch (IllegalArgumentException ex) {
			// Not as its cause: the innermost message is the one that is shown.
			throw new IllegalArgumentException("jobqueue.limits." + name + ": " + ex.getMessage());
		}
	}

	/**
	 * All limits.
	 * @param properties what each is like, by name
	 */
	static List<Limit> all(Map<String, LimitProperties> properties) {
		return properties.entrySet().stream().map((one) -> one.getValue().toLimit(one.getKey())).toList();
	}

	/**
	 * The limit.
	 * @param name its name
	 * @throws IllegalArgumentException if a number is out of its range
	 */
	Limit toLimit(String name) {
		Limit limit = Limit.of(name).running(this.running).starts(this.starts, this.per);
		return (this.burst != null) ? limit.burst(this.burst) : limit;
	}

}
