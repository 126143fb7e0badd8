package io.jobqueue.spring.actuate;

import java.util.List;
import java.util.function.Supplier;

import io.jobqueue.AuditEntry;
import io.jobqueue.store.Audit;

/**
 * What is written of what operators do through the endpoint, and read there.
 */
final class AuditActions {

	/** What stands in the path in place of a job's id. */
	static final String PATH = "audit";

	private static final int NEWEST = 100;

	private final Audit audit;

	AuditActions(Audit audit) {
		this.audit = audit;
	}

	AuditList list() {
		return new AuditList(this.audit.list(null, NEWEST));
	}

	/**
	 * Does something that an operator has asked the endpoint for.
	 */
	<T> T ofEndpoint(Supplier<T> work) {
		return this.audit.from(AuditEntry.Source.ENDPOINT, work);
	}

	/**
	 * What operators have done.
	 *
	 * @param entries at most 100, the newest first
	 */
	record AuditList(List<AuditEntry> entries) {

	}

}
