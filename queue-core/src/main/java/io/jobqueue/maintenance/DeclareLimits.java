package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.List;

import io.jobqueue.Limit;
import io.jobqueue.store.LimitStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says again and again which limits this node is configured with, and stores those of
 * which no live node has a newer configuration.
 */
public final class DeclareLimits implements Chore {

	private static final Logger log = LoggerFactory.getLogger(DeclareLimits.class);

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	/** For how long what a node has said holds: it is said again after a third of it. */
	private static final Duration LIVE = Duration.ofMinutes(2);

	private final LimitStore store;

	private final List<Limit> declared;

	private final long revision;

	/**
	 * Creates the chore.
	 * @param store the limits
	 * @param declared those that this node is configured with
	 * @param revision the higher, the newer
	 */
	public DeclareLimits(LimitStore store, List<Limit> declared, long revision) {
		this.store = store;
		this.declared = List.copyOf(declared);
		this.revision = revision;
	}

	@Override
	public String name() {
		return "declare limits";
	}

	@Override
	public Duration interval() {
		return INTERVAL;
	}

	@Override
	public int runOnce() {
		if (this.declared.isEmpty()) {
			return 0;
		}
		List<String> stored = this.store.declare(this.declared, this.revision, LIVE);
		if (!stored.isEmpty()) {
			log.info("Limits as this node is configured, new or changed: {}", stored);
		}
		return stored.size();
	}

}
