package io.jobqueue.database;

import java.util.Map;

/**
 * The fragments of each kind of SQL.
 */
final class Syntax {

	/**
	 * The same for all: lists of states, and the states of jobs that become ready.
	 */
	static final Map<String, String> STATES = Map.of("allReady", StateCode.ALL_READY, "notRunning",
			StateCode.NOT_RUNNING, "suspect", StateCode.SUSPECT, "readyAgain", StateCode.ready("crashes", "outages"),
			"readyAfterCrash", StateCode.ready("crashes + 1", "outages"), "readyAfterOutage",
			StateCode.ready("crashes", "outages + 1"), "readyAsCrash", StateCode.ready("crashes + 1", "outages - 1"));

	// @formatter:off
	static final Map<String, String> MYSQL = Map.ofEntries(
			Map.entry("now", "UTC_TIMESTAMP(6)"),
			Map.entry("byClaim", " FORCE INDEX (jobqueue_job_claim)"),
			Map.entry("byExpiry", " FORCE INDEX (jobqueue_job_expiry)"),
			Map.entry("byFinished", " FORCE INDEX (jobqueue_archive_finished)"),
			Map.entry("byPrimary", " FORCE INDEX (PRIMARY)"),
			Map.entry("byDue", " FORCE INDEX (jobqueue_schedule_due)"),
			Map.entry("byTick", " FORCE INDEX (jobqueue_tick_time)"),
			Map.entry("byLook", " FORCE INDEX (jobqueue_allowance_look)"),
			Map.entry("lockOrWait", "FOR UPDATE SKIP LOCKED"),
			Map.entry("addSchedule", "INSERT INTO jobqueue_schedule (name, type) VALUES (:name, :type) "
					+ "ON DUPLICATE KEY UPDATE name = name"),
			Map.entry("placesStart", "INSERT INTO jobqueue_order_place (order_key, job_id)"),
			Map.entry("changesStart", "INSERT INTO jobqueue_order_change (kind, job_id, order_key, waited)"),
			Map.entry("unlessThere", "ON DUPLICATE KEY UPDATE job_id = VALUES(job_id)"),
			Map.entry("orderKeysStart",
					"INSERT INTO jobqueue_order_key (order_key, head_id, from_id, state, until_id, changed_at) VALUES"),
			Map.entry("orderKeysEnd",
					"ON DUPLICATE KEY UPDATE head_id = VALUES(head_id), from_id = VALUES(from_id), "
							+ "state = VALUES(state), until_id = VALUES(until_id), changed_at = VALUES(changed_at)"),
			Map.entry("newOrderKeysEnd", "ON DUPLICATE KEY UPDATE until_id = jobqueue_order_key.until_id"),
			Map.entry("allowancesStart", "INSERT INTO jobqueue_allowance (limit_id, limit_key, changed_at) VALUES"),
			Map.entry("allowancesEnd", "ON DUPLICATE KEY UPDATE limit_id = limit_id"),
			Map.entry("bookingsStart",
					"INSERT INTO jobqueue_allowance (limit_id, limit_key, booked_until, look_at, changed_at) VALUES"),
			Map.entry("bookingsEnd", "ON DUPLICATE KEY UPDATE booked_until = VALUES(booked_until), "
					+ "look_at = VALUES(look_at), changed_at = VALUES(changed_at)"),
			Map.entry("limitPlacesStart", "INSERT INTO jobqueue_limit_place (limit_id, limit_key, job_id) VALUES"),
			Map.entry("limitRunningStart",
					"INSERT INTO jobqueue_limit_running (limit_id, limit_key, job_id, fence) VALUES"),
			Map.entry("limitRunningEnd", "ON DUPLICATE KEY UPDATE fence = VALUES(fence)"),
			Map.entry("limitStart", "INSERT INTO jobqueue_limit (name, running, starts, per_ms, burst) VALUES"),
			Map.entry("limitEnd",
					"ON DUPLICATE KEY UPDATE running = VALUES(running), starts = VALUES(starts), "
							+ "per_ms = VALUES(per_ms), burst = VALUES(burst)"),
			Map.entry("byCause", " FORCE INDEX (jobqueue_dead_job_cause)"),
			Map.entry("byState", " FORCE INDEX (jobqueue_operation_state)"),
			Map.entry("deadJobsStart", "INSERT INTO jobqueue_dead_job (job_id, cause_id, queue, type, died_at)"),
			Map.entry("deadJobsEnd",
					"ON DUPLICATE KEY UPDATE cause_id = VALUES(cause_id), queue = VALUES(queue), type = VALUES(type), "
							+ "died_at = VALUES(died_at)"),
			Map.entry("lockSource", " FOR UPDATE"),
			Map.entry("lockFree", "FOR UPDATE SKIP LOCKED"),
			Map.entry("connectionId", "CONNECTION_ID()"),
			Map.entry("serverName", "LEFT(CONCAT(@@hostname, ':', @@port), 255)"),
			Map.entry("idleLimit", "@@session.wait_timeout"),
			Map.entry("keysStart", "INSERT INTO jobqueue_unique_key (type, unique_key, job_id, expires_at) VALUES"),
			Map.entry("byKeyExpiry", " FORCE INDEX (jobqueue_unique_key_expiry)"),
			Map.entry("keysEnd", "ON DUPLICATE KEY UPDATE job_id = job_id"),
			Map.entry("assignStart",
					"INSERT INTO jobqueue_unique_key (type, unique_key, job_id, expires_at, job_enqueued_at) VALUES"),
			// MariaDB has no row alias, which MySQL would rather have than VALUES().
			Map.entry("assignEnd",
					"ON DUPLICATE KEY UPDATE job_id = VALUES(job_id), expires_at = VALUES(expires_at), "
							+ "job_enqueued_at = VALUES(job_enqueued_at)"));

	static final Map<String, String> H2 = Map.ofEntries(
			Map.entry("now", "DATEADD(MICROSECOND, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT), "
					+ "TIMESTAMP '1970-01-01 00:00:00')"),
			Map.entry("byClaim", ""),
			Map.entry("byExpiry", ""),
			Map.entry("byFinished", ""),
			Map.entry("byPrimary", ""),
			Map.entry("byDue", ""),
			Map.entry("byTick", ""),
			Map.entry("byLook", ""),
			Map.entry("lockOrWait", "FOR UPDATE"),
			Map.entry("addSchedule", """
					MERGE INTO jobqueue_schedule s
					USING (VALUES (CAST(:name AS VARCHAR), CAST(:type AS VARCHAR))) AS v (name, type) ON s.name = v.name
					WHEN NOT MATCHED THEN INSERT (name, type) VALUES (v.name, v.type)"""),
			Map.entry("placesStart",
					"MERGE INTO jobqueue_order_place (order_key, job_id) KEY (order_key, job_id)"),
			Map.entry("changesStart",
					"MERGE INTO jobqueue_order_change (kind, job_id, order_key, waited) KEY (kind, job_id)"),
			Map.entry("unlessThere", ""),
			Map.entry("orderKeysStart",
					"MERGE INTO jobqueue_order_key (order_key, head_id, from_id, state, until_id, changed_at) "
							+ "KEY (order_key) VALUES"),
			Map.entry("orderKeysEnd", ""),
			Map.entry("newOrderKeysEnd", ""),
			Map.entry("allowancesStart",
					"MERGE INTO jobqueue_allowance (limit_id, limit_key, changed_at) KEY (limit_id, limit_key) VALUES"),
			Map.entry("allowancesEnd", ""),
			Map.entry("bookingsStart",
					"MERGE INTO jobqueue_allowance (limit_id, limit_key, booked_until, look_at, changed_at) "
							+ "KEY (limit_id, limit_key) VALUES"),
			Map.entry("bookingsEnd", ""),
			Map.entry("limitPlacesStart",
					"MERGE INTO jobqueue_limit_place (limit_id, limit_key, job_id) KEY (limit_id, limit_key, job_id) VALUES"),
			Map.entry("limitRunningStart",
					"MERGE INTO jobqueue_limit_running (limit_id, limit_key, job_id, fence) "
							+ "KEY (limit_id, limit_key, job_id) VALUES"),
			Map.entry("limitRunningEnd", ""),
			Map.entry("limitStart",
					"MERGE INTO jobqueue_limit (name, running, starts, per_ms, burst) KEY (name) VALUES"),
			Map.entry("limitEnd", ""),
			Map.entry("byCause", ""),
			Map.entry("byState", ""),
			Map.entry("deadJobsStart",
					"MERGE INTO jobqueue_dead_job (job_id, cause_id, queue, type, died_at) KEY (job_id)"),
			Map.entry("deadJobsEnd", ""),
			Map.entry("lockSource", ""),
			Map.entry("lockFree", ""),
			Map.entry("connectionId", "SESSION_ID()"),
			Map.entry("serverName", "''"),
			Map.entry("idleLimit", "0"),
			Map.entry("keysStart", "MERGE INTO jobqueue_unique_key k USING (VALUES"),
			Map.entry("keysEnd", """
					) AS s (type, unique_key, job_id, expires_at) ON k.type = s.type AND k.unique_key = s.unique_key
					WHEN NOT MATCHED THEN INSERT (type, unique_key, job_id, expires_at)
					VALUES (s.type, s.unique_key, s.job_id, s.expires_at)"""),
			Map.entry("byKeyExpiry", ""),
			Map.entry("assignStart",
					"MERGE INTO jobqueue_unique_key (type, unique_key, job_id, expires_at, job_enqueued_at) "
							+ "KEY (type, unique_key) VALUES"),
			Map.entry("assignEnd", ""));
	// @formatter:on

	private Syntax() {
	}

}
