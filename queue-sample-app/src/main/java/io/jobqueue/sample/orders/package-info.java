/**
 * Orders: how they come in, one by one or as a file, and how far their jobs are.
 */
@NullMarked
package io.jobqueue.sample.orders;

import org.jspecify.annotations.NullMarked;
