package io.jobqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureJdbc;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/**
 * A test of job handlers: a context with the components that have handlers, with
 * interceptors, listeners, archive sinks, the payload format and Jackson's modules, with
 * JDBC (migrations and {@code schema.sql} included) and the job queue. Services,
 * repositories and configuration classes are left out; what handlers need of them is
 * given by {@code @MockitoBean} or {@code @Import}.
 * <p>
 * Jobs run when the test says so, through a {@link JobQueueTester}. Each test is a
 * transaction that is rolled back, with the jobs in it. The database is an embedded one
 * in memory; {@link AutoConfigureTestDatabase} chooses another.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(JobQueueTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(JobQueueTypeExcludeFilter.class)
@Transactional(isolation = Isolation.READ_COMMITTED)
@AutoConfigureJdbc
@AutoConfigureTestDatabase
@AutoConfigureJobQueue
@ImportAutoConfiguration
public @interface JobQueueTest {

	/**
	 * The classes with handlers that the context has.
	 * @return the classes; empty for all components that have a handler, be it in a base
	 * class
	 */
	Class<?>[] value() default {};

	/**
	 * Properties of the test.
	 * @return the properties, as {@code key=value}
	 */
	String[] properties() default {};

	/**
	 * Whether components with handlers, and what the queue itself looks for, are in the
	 * context without further filters.
	 * @return true if so
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Which other components the context is to have.
	 * @return the filters
	 */
	Filter[] includeFilters() default {};

	/**
	 * Which components the context is not to have.
	 * @return the filters
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Which auto-configuration the context is not to have.
	 * @return the classes
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

}
