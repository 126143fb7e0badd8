package io.jobqueue.spring.observation;

import java.util.ArrayList;
import java.util.List;

import io.jobqueue.observe.Observed;
import io.jobqueue.observe.QueueObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that has worked for one job is none the worse for the next.
 */
class MicrometerObserverTests {

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final List<String> told = new ArrayList<>();

	private String broken = "";

	private final QueueObserver observer = QueueObserver.guarded(new MicrometerObserver(this.registry));

	MicrometerObserverTests() {
		this.registry.observationConfig().observationHandler(new Telling());
	}

	@Test
	void isTheCurrentOneUntilItEnds() {
		Observed observed = this.observer.settle(1);
		assertThat(this.registry.getCurrentObservation()).isNotNull();
		observed.end();
		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(this.told).containsExactly("opened", "closed", "stopped");
	}

	@Test
	void oneThatCannotBeOpenedLeavesNothingOpen() {
		this.broken = "opened";
		this.observer.settle(1).end();
		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(this.told).as("what has begun is ended").endsWith("stopped");
	}

	@Test
	void oneThatCannotBeClosedLeavesNothingOpen() {
		this.broken = "closed";
		this.observer.settle(1).end();
		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(this.told).endsWith("stopped");
	}

	@Test
	void whatAJobHasLeftOpenIsClosedWithIt() {
		Observation request = Observation.start("request", this.registry);
		try (Observation.Scope outer = request.openScope()) {
			Observed observed = this.observer.settle(1);
			Observation.start("inner", this.registry).openScope();
			Observation.start("innermost", this.registry).openScope();
			observed.end();
			assertThat(this.registry.getCurrentObservationScope()).isSameAs(outer);
		}
		assertThat(this.told.stream().filter("opened"::equals)).hasSize(4);
		assertThat(this.told.stream().filter("closed"::equals)).hasSize(4);
	}

	private final class Telling implements ObservationHandler<Observation.Context> {

		private void tell(String what) {
			MicrometerObserverTests.this.told.add(what);
			if (MicrometerObserverTests.this.broken.equals(what)) {
				throw new AssertionError("It is made to fail");
			}
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			tell("opened");
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			tell("closed");
		}

		@Override
		public void onStop(Observation.Context context) {
			tell("stopped");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
