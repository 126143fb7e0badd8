/**
 * The starter's auto-configuration, its properties and its annotations. Public API.
 */
@NullMarked
package io.jobqueue.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
