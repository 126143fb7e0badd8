/**
 * What may watch enqueues, attempts and commits while they go on, to make traces of them.
 * Internal: not part of the public API.
 */
@NullMarked
package io.jobqueue.observe;

import org.jspecify.annotations.NullMarked;
