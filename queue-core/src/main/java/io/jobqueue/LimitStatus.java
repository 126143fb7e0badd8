package io.jobqueue;

import java.util.List;

/**
 * A limit and its jobs.
 *
 * @param limit the limit
 * @param changed whether it was changed since it was stored as nodes are configured;
 * false for one that no node was ever configured with
 * @param types the types whose jobs it holds for, sorted
 * @param running how many of them run
 * @param ready how many are ready to start, or will be at their time; counted up to
 * 10,000
 * @param waiting how many wait because their limit key has no place for them; counted up
 * to 10,000
 */
public record LimitStatus(Limit limit, boolean changed, List<String> types, long running, long ready, long waiting) {

}
