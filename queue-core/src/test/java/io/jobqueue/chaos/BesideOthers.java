package io.jobqueue.chaos;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs beside the other tests of the same class. For tests that wait most of the time,
 * each on a database of its own; all of a class or none, since one that is not marked
 * runs beside those that are. On a class it would let that run beside other classes.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@interface BesideOthers {

}
