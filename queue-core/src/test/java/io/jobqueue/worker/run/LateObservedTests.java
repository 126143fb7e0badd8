package io.jobqueue.worker.run;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.observe.Observed;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * From when on a run is watched.
 */
class LateObservedTests {

	private final List<String> told = new ArrayList<>();

	private final LateObserved late = new LateObserved(() -> {
		this.told.add("begun");
		return new Observed() {

			@Override
			public void failed(Throwable cause) {
				LateObservedTests.this.told.add("failed");
			}

			@Override
			public void end() {
				LateObservedTests.this.told.add("ended");
			}

		};
	});

	@Test
	void aRunWhoseHandlerIsNotCalledIsNone() {
		this.late.end();
		assertThat(this.told).isEmpty();
	}

	@Test
	void itBeginsWithTheCall() {
		this.late.begin();
		this.late.begin();
		this.late.end();
		assertThat(this.told).containsExactly("begun", "ended");
	}

	@Test
	void aFailureBeforeTheCallIsTold() {
		this.late.failed(new IllegalStateException());
		this.late.end();
		assertThat(this.told).containsExactly("begun", "failed", "ended");
	}

}
