package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.jobqueue.JobContext;
import org.jspecify.annotations.Nullable;

/**
 * Handlers that nobody should write.
 */
enum Poison {

	/** Kills its JVM at once, as a crash in native code does. */
	KILLING {

		@Override
		void run() {
			Runtime.getRuntime().halt(1);
		}

	},

	/** Ends its JVM in good order. */
	EXITING {

		@Override
		void run() {
			System.exit(1);
		}

	},

	/** Never returns, and ignores interrupts. */
	HANGING {

		@Override
		void run() {
			while (true) {
				try {
					Thread.sleep(Duration.ofHours(1).toMillis());
				}
				catch (InterruptedException ex) {
					// That is what is wrong with it.
				}
			}
		}

		@Override
		Duration timeout() {
			return Duration.ofSeconds(1);
		}

	},

	/** Needs more memory than there is. */
	HUNGRY {

		@Override
		void run() {
			List<long[]> eaten = new ArrayList<>();
			while (true) {
				eaten.add(new long[1024 * 1024]);
			}
		}

	},

	/** Fails with a message of ten million characters. */
	SHOUTING {

		@Override
		void run() {
			throw new IllegalStateException("x".repeat(10_000_000));
		}

	};

	abstract void run();

	Duration timeout() {
		return Duration.ofMinutes(1);
	}

	String type() {
		return name().toLowerCase(Locale.ROOT);
	}

	void invoke(@Nullable String payload, JobContext job) {
		run();
	}

	static boolean isType(String type) {
		return List.of(values()).stream().anyMatch((poison) -> poison.type().equals(type));
	}

}
