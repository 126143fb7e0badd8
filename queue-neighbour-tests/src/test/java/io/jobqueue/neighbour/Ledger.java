package io.jobqueue.neighbour;

/**
 * A table that each of the libraries writes to in its own way.
 */
public interface Ledger {

	void add(long id);

	boolean contains(long id);

}
