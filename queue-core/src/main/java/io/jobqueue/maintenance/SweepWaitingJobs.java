package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.store.Agenda;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.OrderKeys;

/**
 * Sees to jobs that wait for their order keys or limit keys, and of which nobody knows:
 * the worker that had the job before them has died, or another program has changed rows.
 */
public final class SweepWaitingJobs implements Chore {

	private final SharedAgenda.News agenda;

	private final Duration interval;

	private final PagedSweep<Long> jobsOfOrderKeys;

	private final List<PagedSweep<String>> orderKeys;

	private final PagedSweep<Long> jobsOfLimitKeys;

	private final PagedSweep<LimitKey> limitPlaces;

	private final PagedSweep<LimitKey> limitKeys;

	/**
	 * Creates the chore.
	 * @param agenda tells what there is to be swept
	 * @param orderKeys the order keys
	 * @param limits the limits
	 * @param interval how often to see whether the agenda was read again
	 */
	public SweepWaitingJobs(SharedAgenda.News agenda, OrderKeys orderKeys, LimitStore limits, Duration interval) {
		this.agenda = agenda;
		this.interval = interval;
		this.jobsOfOrderKeys = new PagedSweep<>(orderKeys::sweepJobs);
		this.orderKeys = List.of(new PagedSweep<>(orderKeys::sweepKeys), new PagedSweep<>(orderKeys::forget));
		this.jobsOfLimitKeys = new PagedSweep<>(limits::sweepJobs);
		this.limitPlaces = new PagedSweep<>(limits::sweepKeys);
		this.limitKeys = new PagedSweep<>(limits::forget);
	}

	@Override
	public String name() {
		return "sweep waiting jobs";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		return this.agenda.next().map((reading) -> sweep(reading.agenda().keys())).orElse(NOT_DUE);
	}

	private int sweep(Agenda.KeysInUse used) {
		List<PagedSweep<?>> sweeps = new ArrayList<>();
		if (used.orderJobs()) {
			sweeps.add(this.jobsOfOrderKeys);
		}
		if (used.orderKeys()) {
			sweeps.addAll(this.orderKeys);
		}
		if (used.limitJobs()) {
			sweeps.add(this.jobsOfLimitKeys);
		}
		if (used.limitPlaces()) {
			sweeps.add(this.limitPlaces);
		}
		if (used.limitKeys()) {
			sweeps.add(this.limitKeys);
		}
		return PagedSweep.runAll(sweeps);
	}

}
