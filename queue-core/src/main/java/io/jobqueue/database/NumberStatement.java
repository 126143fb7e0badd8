package io.jobqueue.database;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

/**
 * A statement whose values are all numbers, written into its text. As parameters,
 * hundreds of ids cost the client more than the rest of what it does for their jobs; and
 * a number cannot break out of its place.
 */
public final class NumberStatement {

	private final JdbcTemplate template;

	private String text;

	NumberStatement(JdbcTemplate template, String text) {
		this.template = template;
		this.text = text;
	}

	/**
	 * Gives a number its value.
	 * @param name its name, without the colon that stands before it in the statement
	 * @param value the value
	 * @return this
	 */
	public NumberStatement param(String name, long value) {
		this.text = this.text.replace(":" + name, Long.toString(value));
		return this;
	}

	/**
	 * Gives a list of numbers its values.
	 * @param name its name, without the colon
	 * @param numbers the numbers, at least one
	 * @return this
	 */
	public NumberStatement list(String name, Collection<Integer> numbers) {
		this.text = this.text.replace(":" + name,
				numbers.stream().map(String::valueOf).collect(Collectors.joining(",")));
		return this;
	}

	/**
	 * Names the rows.
	 * @param ids what stands for {@code :ids}; as many as fit into one IN list
	 * @return this
	 */
	public NumberStatement ids(Collection<Long> ids) {
		StringBuilder list = new StringBuilder(ids.size() * 12);
		for (long id : ids) {
			list.append(list.isEmpty() ? "" : ",").append(id);
		}
		this.text = this.text.replace(":ids", list);
		return this;
	}

	/**
	 * Gives each row a number of its own.
	 * @param name what stands in the statement for the number of the row, without the
	 * colon
	 * @param numbers the numbers by id, for each of the rows
	 * @return this
	 */
	public NumberStatement byId(String name, Map<Long, Long> numbers) {
		StringBuilder choice = new StringBuilder(numbers.size() * 40).append("CASE id");
		numbers.forEach((id, number) -> choice.append(" WHEN ").append(id).append(" THEN ").append(number));
		this.text = this.text.replace(":" + name, choice.append(" END"));
		return this;
	}

	public int update() {
		return this.template.update(this.text);
	}

	/**
	 * Runs an insert of one row at most.
	 * @return the number that the database gave the row; null if there was none to insert
	 */
	public @Nullable Long insert() {
		KeyHolder keys = new GeneratedKeyHolder();
		this.template.update((connection) -> connection.prepareStatement(this.text, new String[] { "id" }), keys);
		Number key = keys.getKey();
		return (key != null) ? key.longValue() : null;
	}

	public <T> List<T> query(RowMapper<T> row) {
		return this.template.query(this.text, row);
	}

}
