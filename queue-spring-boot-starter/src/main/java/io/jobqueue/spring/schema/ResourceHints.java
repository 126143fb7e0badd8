package io.jobqueue.spring.schema;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * The files that the queue reads from the class path, for native images.
 */
final class ResourceHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/jobqueue/schema/**").registerPattern("META-INF/jobqueue/*.handlers");
	}

}
