/**
 * Breaks things on purpose: kills and freezes worker processes and servers, cuts and
 * holds connections in the middle of a commit, and then checks from a history and from
 * the tables that every promise of {@code docs/reliability.md} was kept. Everything
 * random comes from a seed, which a failing test prints.
 */
@org.jspecify.annotations.NullMarked
package io.jobqueue.chaos;
