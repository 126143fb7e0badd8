package io.jobqueue.worker.run;

import java.util.List;

import io.jobqueue.observe.Observed;
import io.jobqueue.worker.attempt.AbandonedException;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.run.HandlerRuns.ChunkEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a batch handler. The observer is told of its end when the attempts cannot
 * be interrupted any more.
 */
final class ChunkCall {

	private static final Logger log = LoggerFactory.getLogger(ChunkCall.class);

	private ChunkCall() {
	}

	/**
	 * Calls the handler.
	 * @param handlers calls it
	 * @param chunk the attempts
	 * @param part the same, with what the handler gets of them
	 * @return what became of the claims; no attempt is interrupted any more if that is
	 * still to be reported
	 * @throws Exception why the call failed
	 */
	static ChunkEnd run(HandlerRuns handlers, Chunk chunk, List<ChunkMember> part) throws Exception {
		BoundTransactions before = BoundTransactions.now();
		Observed observed = handlers.observed(chunk);
		try {
			ChunkEnd end = handlers.run(chunk, part.stream().map(ChunkMember::item).toList());
			if (end.isUndecided()) {
				finish(part);
			}
			else if (!end.isAcked()) {
				observed.failed(new StaleClaimException());
			}
			return end;
		}
		catch (Throwable ex) {
			finish(part);
			observed.failed(ex);
			throw ex;
		}
		finally {
			before.restoreAfter(part.get(0).attempt());
			observed.end();
		}
	}

	/**
	 * From here on none of them is interrupted any more. One that was given up is told of
	 * at its end.
	 */
	private static void finish(List<ChunkMember> part) {
		for (ChunkMember member : part) {
			try {
				member.attempt().finish();
			}
			catch (AbandonedException ex) {
				log.trace("Given up", ex);
			}
		}
	}

}
