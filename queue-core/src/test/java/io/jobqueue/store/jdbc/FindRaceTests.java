package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.jobqueue.NewJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Together;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job is found at every moment of its life, also while it moves between the tables.
 */
@ForEachDatabase
class FindRaceTests extends StoreTests {

	private static final int ROUNDS = 150;

	@Test
	void aJobThatDiesAndIsRedrivenIsAlwaysFound() {
		long id = enqueue(NewJob.of("any"));
		AtomicBoolean over = new AtomicBoolean();
		List<Integer> found = Together.run(2, (thread) -> {
			if (thread == 0) {
				try {
					for (int round = 0; round < ROUNDS; round++) {
						Claim claim = claim(1).get(0).claim();
						this.store.finish(List.of(new Finish.DeadLetter(claim, Failure.of(1, "test", "for a test"))));
						assertThat(this.store.redrive(List.of(id))).isEqualTo(1);
					}
				}
				finally {
					over.set(true);
				}
				return ROUNDS;
			}
			int looks = 0;
			while (!over.get()) {
				assertThat(this.store.find(id)).as("look %s", looks++).isPresent();
			}
			return looks;
		});
		assertThat(found.get(1)).isGreaterThan(ROUNDS / 10);
	}

}
