/**
 * Databases for tests, started when the first test asks for them. Shared with the other
 * modules' tests.
 */
package io.jobqueue.test;
