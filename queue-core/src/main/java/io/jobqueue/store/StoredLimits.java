package io.jobqueue.store;

import java.util.List;
import java.util.Optional;

import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.Limits;
import io.jobqueue.text.Durations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits on top of their store.
 */
public class StoredLimits implements Limits {

	private static final Logger log = LoggerFactory.getLogger(StoredLimits.class);

	private final LimitStore store;

	private final Audit audit;

	/**
	 * Creates the limits.
	 * @param store where they are
	 * @param audit where is written what operators do
	 */
	public StoredLimits(LimitStore store, Audit audit) {
		this.store = store;
		this.audit = audit;
	}

	@Override
	public void save(Limit limit) {
		this.audit.of("limit", told(limit), () -> {
			this.store.save(limit);
			return 1;
		}, Integer::longValue);
		log.info("The limit '{}' was saved for all nodes: {}", limit.name(), limit);
	}

	@Override
	public boolean change(Limit before, Limit after) {
		if (!before.name().equals(after.name())) {
			throw new IllegalArgumentException(
					"The limit '" + before.name() + "' cannot become '" + after.name() + "'");
		}
		boolean changed = this.audit.of("limit", told(after), () -> this.store.change(before, after),
				(done) -> done ? 1L : 0L);
		if (changed) {
			log.info("The limit '{}' was saved for all nodes: {}", after.name(), after);
		}
		return changed;
	}

	private static String told(Limit limit) {
		return limit.name() + ": " + limit.running() + " at once, " + limit.starts() + " in "
				+ Durations.text(limit.per()) + ", burst " + limit.burst();
	}

	@Override
	public Optional<LimitStatus> find(String name) {
		return this.store.list(name).stream().findFirst();
	}

	@Override
	public List<LimitStatus> list() {
		return this.store.list(null);
	}

}
