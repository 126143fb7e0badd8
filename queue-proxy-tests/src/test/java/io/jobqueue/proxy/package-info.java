/**
 * The queue behind proxies of others.
 */
package io.jobqueue.proxy;
