package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.function.Function;

/**
 * Something that was read some time ago.
 *
 * @param <T> what was read
 * @param value what was read
 * @param age how long ago
 */
record Aged<T>(T value, Duration age) {

	<R> Aged<R> map(Function<T, R> change) {
		return new Aged<>(change.apply(this.value), this.age);
	}

}
