package io.jobqueue;

import java.util.Optional;

/**
 * Says who is at work on this thread, for the {@link AuditLog audit}. A bean of the
 * application's replaces the starter's own, which asks Spring Security if that is there.
 */
@FunctionalInterface
public interface CurrentActor {

	/** Nobody is known. */
	CurrentActor UNKNOWN = Optional::empty;

	/**
	 * The name of whoever is at work.
	 * @return the name; empty if nobody is known
	 */
	Optional<String> name();

}
