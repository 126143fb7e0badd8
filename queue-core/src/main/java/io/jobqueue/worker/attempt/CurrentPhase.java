package io.jobqueue.worker.attempt;

import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The phase of one attempt. Who may end it is decided by one atomic step.
 */
final class CurrentPhase {

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

	boolean is(Phase what) {
		return this.phase.get() == what;
	}

	boolean isOneOf(Set<Phase> some) {
		Phase now = this.phase.get();
		return now != null && some.contains(now);
	}

	boolean change(Phase from, Phase to) {
		return this.phase.compareAndSet(from, to);
	}

	/**
	 * The end of an interrupt, during which nobody else changes it.
	 */
	void interrupted() {
		this.phase.set(Phase.INTERRUPTED);
	}

	/**
	 * Changes it once no interrupt is under way.
	 * @param from from which phases
	 * @param to to which one
	 * @return the phase that it has then
	 */
	Phase change(Set<Phase> from, Phase to) {
		while (true) {
			for (Phase now : from) {
				if (this.phase.compareAndSet(now, to)) {
					return to;
				}
			}
			Phase now = this.phase.get();
			if (now != null && now != Phase.INTERRUPTING && !from.contains(now)) {
				return now;
			}
			Thread.onSpinWait();
		}
	}

}
