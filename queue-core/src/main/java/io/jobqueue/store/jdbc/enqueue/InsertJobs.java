package io.jobqueue.store.jdbc.enqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.PayloadSize;
import io.jobqueue.store.jdbc.table.LimitedTypes;

import org.jspecify.annotations.Nullable;

/**
 * One INSERT of new jobs and its values. It names only the columns in which some job
 * differs from the table's defaults, and has the numbers in its text: what the driver
 * does for each character and each parameter is most of what an enqueue costs the
 * application.
 */
final class InsertJobs {

	private final Database database;

	private final int inlinePayload;

	private final LimitedTypes limits;

	private final List<Column> columns = List.of(
			new Column("type", (job) -> false, (job, row) -> row.parameter(job.job().type())),
			new Column("payload", (job) -> false, this::payload),
			new Column("large_payload", (job) -> !isLarge(job), (job, row) -> row.text(isLarge(job) ? "1" : "0")),
			new Column("queue", (job) -> job.job().queue().equals(NewJob.DEFAULT_QUEUE),
					(job, row) -> row.parameter(job.job().queue())),
			new Column("priority", (job) -> job.job().priority() == NewJob.DEFAULT_PRIORITY,
					(job, row) -> row.number(job.job().priority())),
			new Column("max_attempts", (job) -> job.job().maxAttempts() == 0,
					(job, row) -> row.number(job.job().maxAttempts())),
			new Column("timeout_ms", (job) -> job.job().timeout().isZero(),
					(job, row) -> row.number(job.job().timeout().toMillis())),
			new Column("available_at", this::isAvailableByDefault, this::availableAt),
			new Column("enqueued_at", this::hasClockOfTables, (job, row) -> row.text(after(Duration.ZERO))),
			new Column("expires_at", (job) -> job.job().expiresAfter() == null, this::expiresAt),
			new Column("scheduled_for", (job) -> job.scheduledFor() == null, InsertJobs::scheduledFor),
			new Column("state", (job) -> job.job().orderKey() == null,
					(job, row) -> row.number((job.job().orderKey() != null) ? StateCode.WAITING : StateCode.READY)),
			new Column("order_key", (job) -> job.job().orderKey() == null,
					(job, row) -> row.parameterOrNull(job.job().orderKey())),
			new Column("limit_key", (job) -> job.job().limitKey() == null,
					(job, row) -> row.parameterOrNull(job.job().limitKey())),
			new Column("trace", (job) -> job.trace() == null, (job, row) -> row.parameterOrNull(job.trace())),
			new Column("type_id", (job) -> rangeOf(job) == 0, (job, row) -> row.number(rangeOf(job))));

	InsertJobs(Database database, int inlinePayload, LimitedTypes limits) {
		this.limits = limits;
		this.database = database;
		this.inlinePayload = inlinePayload;
	}

	/**
	 * Writes the statement.
	 * @param jobs the jobs, at least one
	 * @return the statement, one row for each job in their order
	 */
	Insert of(List<EnqueuedJob> jobs) {
		List<Column> needed = this.columns.stream()
			.filter((column) -> !jobs.stream().allMatch(column.isDefault()))
			.toList();
		Rows rows = new Rows(needed.stream()
			.map(Column::name)
			.collect(Collectors.joining(", ", "INSERT INTO jobqueue_job (", ") VALUES ")));
		for (EnqueuedJob job : jobs) {
			rows.start();
			needed.forEach((column) -> column.writer().write(job, rows));
			rows.end();
		}
		return new Insert(rows.text.toString(), rows.parameters);
	}

	/**
	 * Whether a job's payload has to go to the table for large ones.
	 */
	boolean isLarge(EnqueuedJob job) {
		return job.payload() != null && PayloadSize.exceeds(job.payload(), this.inlinePayload);
	}

	private void payload(EnqueuedJob job, Rows row) {
		if (job.payload() == null || isLarge(job)) {
			row.text("NULL");
		}
		else {
			row.parameter(job.payload());
		}
	}

	private boolean isAvailableByDefault(EnqueuedJob job) {
		return job.job().availableAt() == null && job.job().delay().isZero() && this.database.hasClockOfTables();
	}

	private boolean hasClockOfTables(EnqueuedJob job) {
		return this.database.hasClockOfTables();
	}

	private void availableAt(EnqueuedJob job, Rows row) {
		Instant availableAt = job.job().availableAt();
		if (availableAt != null) {
			row.parameter(Utc.of(availableAt));
		}
		else {
			row.text(after(job.job().delay()));
		}
	}

	private void expiresAt(EnqueuedJob job, Rows row) {
		Duration after = job.job().expiresAfter();
		row.text((after != null) ? after(after) : "'9999-12-31 00:00:00'");
	}

	private static void scheduledFor(EnqueuedJob job, Rows row) {
		Instant tick = job.scheduledFor();
		row.parameterOrNull((tick != null) ? Utc.of(tick) : null);
	}

	private int rangeOf(EnqueuedJob job) {
		return this.limits.rangeOf(job.job().type(), job.job().limitKey());
	}

	private String after(Duration delay) {
		return this.database.expand(delay.isZero() ? "{now}" : "{now + " + Utc.micros(delay) + " MICROSECOND}");
	}

	/**
	 * A statement and its parameters.
	 *
	 * @param sql the text
	 * @param parameters the parameters in their order
	 */
	record Insert(String sql, List<Object> parameters) {

	}

	private record Column(String name, Predicate<EnqueuedJob> isDefault, Writer writer) {

	}

	@FunctionalInterface
	private interface Writer {

		void write(EnqueuedJob job, Rows row);

	}

	/**
	 * The rows as they are written.
	 */
	private static final class Rows {

		private final StringBuilder text;

		private final List<Object> parameters = new ArrayList<>();

		private String separator = "(";

		Rows(String start) {
			this.text = new StringBuilder(start);
		}

		void start() {
			this.text.append(this.separator);
			this.separator = "";
		}

		void end() {
			this.text.append(')');
			this.separator = ",(";
		}

		void text(String value) {
			this.text.append(this.separator).append(value);
			this.separator = ",";
		}

		void number(long value) {
			text(Long.toString(value));
		}

		void parameterOrNull(@Nullable Object value) {
			if (value != null) {
				parameter(value);
			}
			else {
				text("NULL");
			}
		}

		void parameter(Object value) {
			text("?");
			this.parameters.add(value);
		}

	}

}
