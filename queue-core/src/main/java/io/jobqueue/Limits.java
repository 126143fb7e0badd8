package io.jobqueue;

import java.util.List;
import java.util.Optional;

import org.springframework.dao.DataAccessException;

/**
 * The limits, as they hold on all nodes. Those of the application's configuration are
 * there when it has started; a change holds until the configuration itself is another.
 * <p>
 * All methods throw {@link DataAccessException} if the database cannot be asked.
 */
public interface Limits {

	/**
	 * Creates a limit, or changes it: every claim from now on keeps to it. What runs
	 * already goes on, so after a change to less there may be more for some time.
	 * @param limit the limit
	 */
	void save(Limit limit);

	/**
	 * Changes a limit if it still is as the caller has seen it. Two who change it at once
	 * do not undo each other's change unseen.
	 * @param before the limit as it was seen
	 * @param after the limit as it is to be, with the same name
	 * @return whether it was changed; false if it is another by now, or is not there
	 * @throws IllegalArgumentException if the names differ
	 */
	boolean change(Limit before, Limit after);

	/**
	 * Finds a limit.
	 * @param name its name
	 * @return the limit and what has become of it
	 */
	Optional<LimitStatus> find(String name);

	/**
	 * Lists all limits.
	 * @return the limits, sorted by name
	 */
	List<LimitStatus> list();

}
