package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.poison.Suspicion.Degree;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimRequestTests {

	private static ClaimedJob job(long id, String queue) {
		return new ClaimedJob(new Claim(id, 1, 1), "any",
				new ReadyRange(queue, 4, 0, Degree.NONE, false, Duration.ZERO), 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
	}

	/** A claim by single statements may have a transaction behind it. */
	@Test
	void whatWasClaimedAlreadyTakesTheRoomOfItsQueue() {
		ClaimRequest request = new ClaimRequest(1, List.of(), 8, Set.of(), Deadlines.always(Duration.ofMinutes(1)),
				new Load(0, Suspicion.NO_LIMIT, 8), Set.of(), new QueueShares(Map.of(), Map.of("few", 2, "more", 3)),
				new LimitPauses(System::nanoTime));
		ClaimRequest left = request.beside(List.of(job(1, "few"), job(2, "few"), job(3, "any")));
		assertThat(left.limit()).isEqualTo(5);
		assertThat(left.shares().room("few")).isZero();
		assertThat(left.shares().room("more")).isEqualTo(3);
		assertThat(left.shares().room("any")).isEqualTo(Integer.MAX_VALUE);
	}

}
