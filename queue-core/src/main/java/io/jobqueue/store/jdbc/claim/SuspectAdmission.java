package io.jobqueue.store.jdbc.claim;

import java.util.List;

import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;

/**
 * Admits suspects as their worker's load and the quarantine allow. Jobs that nothing is
 * known against pass.
 */
public final class SuspectAdmission implements Admission {

	private final Quarantine quarantine;

	public SuspectAdmission(Quarantine quarantine) {
		this.quarantine = quarantine;
	}

	@Override
	public Gate open(ClaimRequest request) {
		return new SuspectGate(request.load(), this.quarantine.claimable(request.ranges()));
	}

	private final class SuspectGate implements Gate {

		private final Load load;

		private final Quarantine.Claimable claimable;

		SuspectGate(Load load, Quarantine.Claimable claimable) {
			this.load = load;
			this.claimable = claimable;
		}

		@Override
		public List<ReadyRange> ranges() {
			return this.claimable.ranges();
		}

		@Override
		public List<ReadyRange> rangesOtherwise() {
			return this.claimable.ranges().stream().filter((range) -> range.degree() != Degree.LIMITED).toList();
		}

		@Override
		public Load.Admitted<ClaimedJob> admit(List<ClaimedJob> jobs) {
			Load.Admitted<ClaimedJob> admitted = this.load.admit(jobs, ClaimedJob::suspicion, this.claimable.permit());
			ClaimedJob solo = admitted.solo();
			if (solo != null) {
				SuspectAdmission.this.quarantine.runsSolo(solo.claim());
			}
			else if (admitted.soloRefused()) {
				SuspectAdmission.this.quarantine.reserve();
			}
			return admitted;
		}

	}

}
