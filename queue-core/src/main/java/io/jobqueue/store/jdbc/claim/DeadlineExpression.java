package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.jobqueue.database.Utc;
import io.jobqueue.store.Deadlines;

/**
 * How long each job may stay claimed, as an expression in SQL, for an update that claims
 * jobs before they were read.
 *
 * @param sql the expression, in microseconds
 * @param params its parameters by name
 */
record DeadlineExpression(String sql, Map<String, List<String>> params) {

	static DeadlineExpression of(Deadlines deadlines) {
		long otherwise = micros(deadlines, "");
		Map<Long, List<String>> types = deadlines.timeouts()
			.keySet()
			.stream()
			.collect(Collectors.groupingBy((type) -> micros(deadlines, type), TreeMap::new, Collectors.toList()));
		types.remove(otherwise);
		StringBuilder sql = new StringBuilder("CASE WHEN timeout_ms > 0 THEN LEAST(timeout_ms, ")
			.append(Deadlines.NEVER.toMillis())
			.append(") * 1000 + ")
			.append(Utc.micros(deadlines.margin()));
		Map<String, List<String>> params = new LinkedHashMap<>();
		types.forEach((micros, alike) -> {
			String name = "types" + params.size();
			sql.append(" WHEN type IN (:").append(name).append(") THEN ").append(micros);
			params.put(name, alike);
		});
		return new DeadlineExpression(sql.append(" ELSE ").append(otherwise).append(" END").toString(), params);
	}

	private static long micros(Deadlines deadlines, String type) {
		return Utc.micros(deadlines.of(type, Duration.ZERO));
	}

}
