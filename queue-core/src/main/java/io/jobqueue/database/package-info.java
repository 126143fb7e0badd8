/**
 * The database that the queue lives in: connections, dialects, transactions. Internal.
 */
@NullMarked
package io.jobqueue.database;

import org.jspecify.annotations.NullMarked;
