package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.CannotStartException;
import org.jspecify.annotations.Nullable;

/**
 * The application has a Spring Boot that the job queue does not work with.
 */
class OldSpringBootException extends CannotStartException {

	OldSpringBootException(@Nullable String version) {
		super("The job queue needs Spring Boot 4.1 or later, and this application has " + version,
				"Raise the version of spring-boot-starter-parent, or of spring-boot-dependencies.");
	}

}
