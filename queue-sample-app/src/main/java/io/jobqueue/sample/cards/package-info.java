/**
 * Cards, charged by a gateway that fails now and then.
 */
@NullMarked
package io.jobqueue.sample.cards;

import org.jspecify.annotations.NullMarked;
