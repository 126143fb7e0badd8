/**
 * Puts the parts of one node together. Internal.
 */
@NullMarked
package io.jobqueue.node;

import org.jspecify.annotations.NullMarked;
