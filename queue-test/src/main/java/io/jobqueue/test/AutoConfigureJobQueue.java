package io.jobqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Adds the job queue and a {@link JobQueueTester} to a test that has a context of another
 * kind, such as {@code @SpringBootTest} or {@code @DataJpaTest}. Slices need
 * {@code @Import} for the handlers. With {@code jobqueue.worker.enabled=false} there is
 * no tester, which has the worker's parts.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureJobQueue {

	/**
	 * Whether the worker starts with the context, as in production. It runs jobs on
	 * threads of its own then, and sees only what is committed.
	 * @return whether it starts; by default it does not, and jobs run when the test says
	 * so
	 */
	@PropertyMapping("jobqueue.auto-startup")
	boolean startWorker() default false;

	/**
	 * The name of a database that is there for tests alone, so that tests without a
	 * transaction may run its jobs, and {@link JobQueueTester#clear()} may delete them.
	 * Databases in memory and of Testcontainers need not be named, nor one on which tests
	 * roll back, as long as it has no jobs of others. The property
	 * {@code jobqueue-test.database} names it for all tests.
	 * @return the name of the database, on MySQL what {@code SELECT DATABASE()} gives;
	 * {@code *} stands for any characters
	 */
	@PropertyMapping(value = "jobqueue-test.database", skip = PropertyMapping.Skip.ON_DEFAULT_VALUE)
	String testDatabase() default "";

}
