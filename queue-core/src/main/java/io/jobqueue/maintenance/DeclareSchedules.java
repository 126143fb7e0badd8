package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.store.ScheduleStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says again and again which schedules this node's code declares, and stores those that
 * no live node has a newer definition of.
 */
public final class DeclareSchedules implements Chore {

	private static final Logger log = LoggerFactory.getLogger(DeclareSchedules.class);

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	/** For how long what a node has said holds: it is said again after a third of it. */
	private static final Duration LIVE = Duration.ofMinutes(2);

	private final ScheduleStore store;

	private final Supplier<List<ScheduleDefinition>> declared;

	private final long revision;

	private final Runnable onChange;

	/**
	 * Creates the chore.
	 * @param store the schedules
	 * @param declared what the code of this node declares
	 * @param revision the higher, the newer
	 * @param onChange told when a definition was stored
	 */
	public DeclareSchedules(ScheduleStore store, Supplier<List<ScheduleDefinition>> declared, long revision,
			Runnable onChange) {
		this.store = store;
		this.declared = declared;
		this.revision = revision;
		this.onChange = onChange;
	}

	@Override
	public String name() {
		return "declare schedules";
	}

	@Override
	public Duration interval() {
		return INTERVAL;
	}

	@Override
	public boolean atStart() {
		return true;
	}

	@Override
	public int runOnce() {
		List<ScheduleDefinition> own = this.declared.get();
		if (own.isEmpty()) {
			return 0;
		}
		List<String> stored = this.store.declare(own, this.revision, LIVE);
		if (!stored.isEmpty()) {
			log.info("Schedules as this node declares them, new or changed: {}", stored);
			this.onChange.run();
		}
		return stored.size();
	}

}
