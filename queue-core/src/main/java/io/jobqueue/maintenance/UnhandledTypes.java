package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.jobqueue.store.MaintenanceStore.TypeInQueue;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.WorkerSessions.Session;
import io.jobqueue.store.WorkerSessions;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of jobs that no live worker has a handler for. Workers sort out jobs that are not
 * theirs, so those that nobody takes are all in one place.
 */
public final class UnhandledTypes implements Chore {

	private static final Logger log = LoggerFactory.getLogger(UnhandledTypes.class);

	/** More are not worth telling apart. */
	private static final int LIMIT = 1_000;

	/** What the types of jobs begin with that tell of dead ones. */
	private static final String DEAD = "jobqueue.dead.";

	private final MaintenanceStore store;

	private final WorkerSessions sessions;

	private final Duration interval;

	private volatile Set<String> current = Set.of();

	/** Those of them that the log has named. */
	private Set<String> told = Set.of();

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param sessions the worker sessions
	 * @param interval how often to look
	 */
	public UnhandledTypes(MaintenanceStore store, WorkerSessions sessions, Duration interval) {
		this.store = store;
		this.sessions = sessions;
		this.interval = interval;
	}

	@Override
	public String name() {
		return "find unhandled types";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	/**
	 * The types that have ready jobs and no live worker.
	 * @return the types as of the last round, sorted; at most a thousand
	 */
	public Set<String> current() {
		return this.current;
	}

	@Override
	public int runOnce() {
		List<TypeInQueue> sortedOut = this.store.sortedOut(LIMIT);
		Set<String> found = sortedOut.isEmpty() ? Set.of() : unhandled(sortedOut, this.sessions.list());
		// After an outage no session is live for a moment, so a type is told of in the
		// second round only.
		Set<String> stays = new TreeSet<>(found);
		stays.retainAll(this.current);
		stays.stream().filter((type) -> !this.told.contains(type)).forEach(UnhandledTypes::tell);
		this.told = stays;
		this.current = found;
		return 0;
	}

	private static void tell(String type) {
		if (type.startsWith(TypeInQueue.NUMBER)) {
			log.warn(
					"Ready jobs have the {}, which no row of jobqueue_type has: the row was deleted, or another "
							+ "program wrote the number. Restart the worker of their type, or set their type_id to 0",
					type);
		}
		else if (type.startsWith(DEAD)) {
			String dead = type.substring(DEAD.length());
			log.warn(
					"No live worker that serves their queue has a @DeadJobHandler(\"{}\"). Jobs that tell of dead ones "
							+ "wait; deploy one, or set dead_handler to 0 in that row of jobqueue_type and cancel them",
					dead);
		}
		else {
			log.warn("No live worker has a handler for jobs of type '{}'. They wait; deploy a @JobHandler(\"{}\") or "
					+ "cancel them", type, type);
		}
	}

	private static Set<String> unhandled(List<TypeInQueue> sortedOut, List<Session> workers) {
		return sortedOut.stream()
			.filter((one) -> workers.stream().noneMatch((worker) -> handles(worker, one)))
			.map(TypeInQueue::type)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static boolean handles(Session worker, TypeInQueue one) {
		return worker.types().contains(one.type())
				&& (worker.queues().isEmpty() || worker.queues().contains(one.queue()));
	}

}
