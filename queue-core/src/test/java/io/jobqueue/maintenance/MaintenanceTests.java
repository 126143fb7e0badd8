package io.jobqueue.maintenance;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.jobqueue.test.LogLines;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.CannotCreateTransactionException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the log says of chores that fail.
 */
class MaintenanceTests {

	private @Nullable RuntimeException failure;

	private final Chore one = chore("one", () -> this.failure);

	private final Chore two = chore("two", () -> this.failure);

	/** As one that has nothing to ask. */
	private final Chore idle = chore("idle", () -> null);

	private final Maintenance maintenance = new Maintenance(List.of(this.one, this.two, this.idle));

	private static Chore chore(String name, Supplier<@Nullable RuntimeException> failure) {
		return new Chore() {

			@Override
			public String name() {
				return name;
			}

			@Override
			public Duration interval() {
				return Duration.ofMillis(100);
			}

			@Override
			public int runOnce() {
				RuntimeException now = failure.get();
				if (now != null) {
					throw now;
				}
				return 0;
			}

		};
	}

	private List<String> said(@Nullable RuntimeException failure) {
		this.failure = failure;
		try (LogLines lines = LogLines.of(Maintenance.class)) {
			for (int round = 0; round < 2; round++) {
				this.maintenance.run(this.one);
				this.maintenance.run(this.two);
				this.maintenance.run(this.idle);
			}
			return lines.messages().stream().filter((line) -> !line.startsWith("DEBUG")).toList();
		}
	}

	@Test
	void anOutageHasOneLineAndItsEndTooWhateverManyChoresThereAre() {
		RuntimeException away = new DataAccessResourceFailureException("Failed to obtain JDBC Connection",
				new ConnectException("Connection refused"));
		assertThat(said(away)).singleElement()
			.asString()
			.startsWith("WARN The database cannot be asked.")
			.endsWith("java.net.ConnectException: Connection refused");
		assertThat(this.maintenance.isFailing("two")).isTrue();
		assertThat(said(null)).containsExactly("INFO The database answers the chores of the maintenance again");
		assertThat(this.maintenance.isFailing("two")).isFalse();
		assertThat(said(away)).as("the next outage").hasSize(1);
	}

	@Test
	void whatElseFailsIsToldOfForEach() {
		assertThat(said(new IllegalStateException("broken"))).containsExactly(
				"WARN one failed; tried again every 100ms: java.lang.IllegalStateException: broken",
				"WARN two failed; tried again every 100ms: java.lang.IllegalStateException: broken");
		assertThat(said(null)).containsExactly("INFO one works again", "INFO two works again");
	}

	/** As an archive's other database. */
	@Test
	void theOutageOfSomethingElseIsNotTheDatabases() {
		assertThat(said(new IllegalStateException("Archived jobs cannot be stored by 'warehouse'",
				new CannotCreateTransactionException("away"))))
			.hasSize(2)
			.allMatch((line) -> line.contains("cannot be stored by 'warehouse'"));
	}

	@Test
	void whatFailsAfterAnOutageForAnotherReasonIsToldOf() {
		said(new DataAccessResourceFailureException("away"));
		assertThat(said(new IllegalStateException("broken"))).containsExactly(
				"INFO The database answers the chores of the maintenance again",
				"WARN one failed; tried again every 100ms: java.lang.IllegalStateException: broken",
				"WARN two failed; tried again every 100ms: java.lang.IllegalStateException: broken");
		assertThat(said(null)).containsExactly("INFO one works again", "INFO two works again");
	}

}
