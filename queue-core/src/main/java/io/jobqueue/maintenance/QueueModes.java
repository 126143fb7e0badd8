package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.jobqueue.QueueMode;
import io.jobqueue.store.Queues;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the modes of queues as this node's settings say, and tells if another node has set
 * them otherwise since. All nodes serve a queue in the mode that was set last.
 */
public final class QueueModes implements Chore {

	private static final Logger log = LoggerFactory.getLogger(QueueModes.class);

	private final Queues queues;

	private final Map<String, QueueMode> own;

	private final Duration interval;

	private Set<String> toldOf = Set.of();

	/**
	 * Creates the chore.
	 * @param queues the queues
	 * @param own the modes of this node's settings, of the queues that it serves; others
	 * are left alone
	 * @param interval how often to look
	 */
	public QueueModes(Queues queues, Map<String, QueueMode> own, Duration interval) {
		this.queues = queues;
		this.own = new TreeMap<>(own);
		this.interval = interval;
	}

	/**
	 * The queues that are in the mode row-lock once {@link #set} has run.
	 */
	public Set<String> rowLock() {
		Set<String> rowLock = new TreeSet<>(this.queues.rowLock());
		this.own.forEach((queue, mode) -> {
			if (mode == QueueMode.ROW_LOCK) {
				rowLock.add(queue);
			}
			else {
				rowLock.remove(queue);
			}
		});
		return rowLock;
	}

	/**
	 * Sets the modes.
	 */
	public void set() {
		this.own.forEach((queue, mode) -> {
			QueueMode before = this.queues.setMode(queue, mode);
			if (before == QueueMode.ROW_LOCK && mode != before) {
				log.warn(
						"Queue '{}' is in the mode {} now, for all nodes; it was in the mode {}. Handlers that are not "
								+ "transactional may run more than once from now on, where they ran exactly once",
						queue, name(mode), name(before));
			}
			else if (before != mode) {
				log.info("Queue '{}' is in the mode {} now, for all nodes; it was in the mode {}", queue, name(mode),
						name(before));
			}
		});
	}

	@Override
	public String name() {
		return "compare queue modes";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		if (this.own.isEmpty()) {
			return 0;
		}
		Set<String> rowLock = this.queues.rowLock();
		Set<String> others = new TreeSet<>();
		this.own.forEach((queue, mode) -> {
			if ((mode == QueueMode.ROW_LOCK) != rowLock.contains(queue)) {
				others.add(queue);
				if (!this.toldOf.contains(queue)) {
					log.warn(
							"Queue '{}' is no longer in the mode {}, as jobqueue.queues.{}.mode says here: another node has set "
									+ "it. All nodes serve it in the mode that was set last; give them the same setting",
							queue, name(mode), queue);
				}
			}
		});
		this.toldOf = others;
		return 0;
	}

	private static String name(QueueMode mode) {
		return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
