/**
 * What must not leak, whatever is configured.
 */
@NullMarked
package io.jobqueue.spring.security;

import org.jspecify.annotations.NullMarked;
