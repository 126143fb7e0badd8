package io.jobqueue.spring.worker;

/**
 * Whether worker, doorbell and history start with the application. A bean, so that the
 * test kit can keep them from a database that is not there for tests.
 *
 * @param value whether they do
 */
public record AutoStartup(boolean value) {

}
