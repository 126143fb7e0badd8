package io.jobqueue.sample.orders;

import java.util.Objects;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;

/**
 * Imports, and how far they are. A job is looked up by its id in the queue's archive,
 * where it is once it has ended; state 3 is succeeded, 4 is dead.
 */
@Repository
class ImportRepository {

	private static final String PROGRESS = """
			SELECT COUNT(*) AS total,
			    COUNT(CASE WHEN receipt.state = 3 THEN 1 END) AS receipts_sent,
			    COUNT(CASE WHEN posting.state = 3 THEN 1 END) AS posted,
			    COUNT(CASE WHEN charge.state = 3 THEN 1 END) AS charged,
			    COUNT(CASE WHEN o.review_asked THEN 1 END) AS reviews_asked,
			    COUNT(CASE WHEN receipt.state = 4 THEN 1 END) + COUNT(CASE WHEN posting.state = 4 THEN 1 END)
			        + COUNT(CASE WHEN charge.state = 4 THEN 1 END) AS dead,
			    COUNT(receipt.id) + COUNT(posting.id) + COUNT(charge.id) AS ended
			FROM shop_order o
			    LEFT JOIN jobqueue_archive receipt ON receipt.id = o.receipt_job
			    LEFT JOIN jobqueue_archive posting ON posting.id = o.ledger_job
			    LEFT JOIN jobqueue_archive charge ON charge.id = o.charge_job
			WHERE o.import_id = :id""";

	private final JdbcClient client;

	ImportRepository(JdbcClient client) {
		this.client = client;
	}

	long create() {
		GeneratedKeyHolder key = new GeneratedKeyHolder();
		this.client.sql("INSERT INTO shop_import (started_at) VALUES (CURRENT_TIMESTAMP(6))").update(key, "id");
		return Objects.requireNonNull(key.getKey()).longValue();
	}

	Optional<ImportProgress> progress(long id) {
		return this.client.sql("SELECT id FROM shop_import WHERE id = ?")
			.param(id)
			.query(Long.class)
			.optional()
			.map(this::measure);
	}

	private ImportProgress measure(long id) {
		return this.client.sql(PROGRESS)
			.param("id", id)
			.query((row, number) -> ImportProgress.of(id, row.getLong("total"), row.getLong("receipts_sent"),
					row.getLong("posted"), row.getLong("charged"), row.getLong("reviews_asked"), row.getLong("dead"),
					row.getLong("ended")))
			.single();
	}

}
