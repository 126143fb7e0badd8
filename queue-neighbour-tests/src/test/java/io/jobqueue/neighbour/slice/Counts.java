package io.jobqueue.neighbour.slice;

import io.jobqueue.JobHandler;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** A handler. */
@Component
class Counts {

	private final JdbcClient sql;

	Counts(JdbcClient sql) {
		this.sql = sql;
	}

	@JobHandler("count")
	void count(Long id) {
		this.sql.sql("INSERT INTO ledger (id) VALUES (?)").param(id).update();
	}

}
