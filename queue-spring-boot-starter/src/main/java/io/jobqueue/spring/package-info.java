/**
 * What the starter's packages share: why an application cannot start, and what to do.
 * Internal.
 */
@NullMarked
package io.jobqueue.spring;

import org.jspecify.annotations.NullMarked;
