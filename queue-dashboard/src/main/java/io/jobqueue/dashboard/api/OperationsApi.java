package io.jobqueue.dashboard.api;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.jobqueue.AuditEntry;
import io.jobqueue.AuditLog;
import io.jobqueue.JobFilter;
import io.jobqueue.Operation;
import io.jobqueue.Operations;
import org.jspecify.annotations.Nullable;

/**
 * Operations on many jobs and the audit, as the page asks for them.
 */
public final class OperationsApi {

	private static final int PAGE = 50;

	private final Operations operations;

	private final AuditLog audit;

	/**
	 * Creates it.
	 * @param operations the operations
	 * @param audit what operators have done
	 */
	public OperationsApi(Operations operations, AuditLog audit) {
		this.operations = operations;
		this.audit = audit;
	}

	List<OperationRow> operations() {
		return this.operations.list(PAGE).stream().map(OperationRow::of).toList();
	}

	@Nullable OperationRow operation(long id) {
		return this.operations.find(id).map(OperationRow::of).orElse(null);
	}

	/**
	 * What operators have done, the newest first.
	 * @param before the id of the last entry of the page before; null for the first page
	 */
	AuditPage audit(@Nullable Long before) {
		List<AuditRow> rows = this.audit.list(before, PAGE).stream().map(AuditRow::of).toList();
		return new AuditPage(rows, (rows.size() == PAGE) ? rows.get(PAGE - 1).id() : null);
	}

	/**
	 * Something that is done to many jobs.
	 */
	record OperationRow(String id, String action, String state, Filter filter, JobsApi.Count expected, long changed,
			String actor, Instant startedAt, @Nullable Instant endedAt, String problem) {

		static OperationRow of(Operation operation) {
			return new OperationRow(Long.toString(operation.id()), lower(operation.action()), lower(operation.state()),
					Filter.of(operation.filter()), JobsApi.Count.of(operation.expected()), operation.changed(),
					operation.actor(), operation.startedAt(), operation.endedAt(), operation.problem());
		}

	}

	/**
	 * Which jobs.
	 */
	record Filter(@Nullable String state, @Nullable String queue, @Nullable String type, @Nullable String orderKey,
			@Nullable String limitKey, @Nullable String cause, @Nullable Instant from, @Nullable Instant until) {

		static Filter of(JobFilter filter) {
			return new Filter((filter.state() != null) ? lower(filter.state()) : null, filter.queue(), filter.type(),
					filter.orderKey(), filter.limitKey(), (filter.cause() != null) ? filter.cause().toString() : null,
					filter.from(), filter.until());
		}

	}

	/**
	 * A page of the audit.
	 *
	 * @param entries the entries
	 * @param next what to ask for the next page with; null if there is none
	 */
	record AuditPage(List<AuditRow> entries, @Nullable String next) {

	}

	/**
	 * One thing that an operator has done.
	 */
	record AuditRow(String id, Instant at, String actor, String source, String action, String target,
			@Nullable Long changed, String outcome, String problem) {

		static AuditRow of(AuditEntry entry) {
			return new AuditRow(Long.toString(entry.id()), entry.at(), entry.actor(), lower(entry.source()),
					entry.action(), entry.target(), entry.changed(), lower(entry.outcome()), entry.problem());
		}

	}

	private static String lower(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
