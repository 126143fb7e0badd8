package io.jobqueue.worker.run;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RunInterceptorTests {

	private final List<String> calls = new ArrayList<>();

	private RunInterceptor noting(String name) {
		return (attempt, call) -> {
			this.calls.add(name);
			try {
				call.run();
			}
			finally {
				this.calls.add("after " + name);
			}
		};
	}

	@Test
	void theFirstIsTheOutermost() throws Exception {
		RunInterceptor.chain(List.of(noting("first"), noting("second")), null, () -> this.calls.add("handler")).run();
		assertThat(this.calls).containsExactly("first", "second", "handler", "after second", "after first");
	}

	@Test
	void whatTheHandlerThrowsGoesThroughAll() {
		assertThatIllegalStateException()
			.isThrownBy(() -> RunInterceptor.chain(List.of(noting("first"), noting("second")), null, () -> {
				throw new IllegalStateException("for a test");
			}).run());
		assertThat(this.calls).containsExactly("first", "second", "after second", "after first");
	}

	@Test
	void oneMayFailTheAttemptThoughTheHandlerReturned() {
		RunInterceptor failing = (attempt, call) -> {
			call.run();
			throw new IllegalStateException("for a test");
		};
		assertThatIllegalStateException().isThrownBy(
				() -> RunInterceptor.chain(List.of(noting("first"), failing), null, () -> this.calls.add("handler"))
					.run());
		assertThat(this.calls).containsExactly("first", "handler", "after first");
	}

}
