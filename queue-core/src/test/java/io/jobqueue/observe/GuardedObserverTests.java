package io.jobqueue.observe;

import java.util.List;

import io.jobqueue.NewJob;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What is only watched does not fail for that, whatever the observer throws.
 */
class GuardedObserverTests {

	private static final List<NewJob> JOBS = List.of(NewJob.of("any"));

	private static <T> T broken() {
		throw new StackOverflowError("It is made to fail");
	}

	@Test
	void oneThatCannotBeginWatchesNothing() {
		QueueObserver guarded = QueueObserver.guarded(new QueueObserver() {

			@Override
			public Sending send(List<NewJob> jobs) {
				return broken();
			}

			@Override
			public Observed process(Processed job) {
				return broken();
			}

			@Override
			public Observed processChunk(List<Processed> chunk) {
				return broken();
			}

			@Override
			public Observed settle(int results) {
				return broken();
			}

		});
		assertThat(guarded.send(JOBS)).isSameAs(Sending.NONE);
		assertThat(guarded.processChunk(List.of())).isSameAs(Observed.NONE);
		assertThat(guarded.settle(1)).isSameAs(Observed.NONE);
	}

	@Test
	void oneThatCannotEndIsOverAllTheSame() {
		QueueObserver guarded = QueueObserver.guarded(new EndsBadly());
		Sending sending = guarded.send(JOBS);
		assertThat(sending.trace()).isNull();
		assertThatNoException().isThrownBy(() -> {
			sending.failed(new IllegalStateException());
			sending.end();
			guarded.settle(1).end();
		});
	}

	private static final class EndsBadly implements QueueObserver, Sending {

		@Override
		public Sending send(List<NewJob> jobs) {
			return this;
		}

		@Override
		public Observed process(Processed job) {
			return this;
		}

		@Override
		public Observed processChunk(List<Processed> chunk) {
			return this;
		}

		@Override
		public Observed settle(int results) {
			return this;
		}

		@Override
		public @Nullable String trace() {
			return broken();
		}

		@Override
		public void failed(Throwable cause) {
			broken();
		}

		@Override
		public void end() {
			broken();
		}

	}

}
