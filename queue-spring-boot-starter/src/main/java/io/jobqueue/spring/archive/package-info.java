/**
 * Where archived jobs go before they are deleted.
 */
@NullMarked
package io.jobqueue.spring.archive;

import org.jspecify.annotations.NullMarked;
