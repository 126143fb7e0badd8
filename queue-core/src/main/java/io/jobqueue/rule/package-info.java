/**
 * What a method and its annotations must be like, so that it can run jobs: the rules and
 * their words. Start-up reads a method by reflection, the compiler from its source; both
 * ask here, so that both refuse the same with the same words.
 */
@NullMarked
package io.jobqueue.rule;

import org.jspecify.annotations.NullMarked;
