-- What a report of a problem needs of the database, and nothing that the application has put into it: no payload, no key,
-- no message of an error, no name of a user, a worker or a host. Names of queues, types, schedules and limits are shown.
--
--   mysql --force --table shop < docs/operations/bundle.sql > bundle.txt
--
-- It reads each live job's row once, and changes nothing. With --force, what the user has no right to read is left out.

SELECT VERSION() AS server, @@version_comment AS build, UTC_TIMESTAMP(6) AS now, @@transaction_isolation AS isolation,
    @@autocommit AS autocommit, @@innodb_lock_wait_timeout AS lock_wait_s, @@wait_timeout AS idle_s,
    @@innodb_flush_log_at_trx_commit AS flush_at_commit, @@innodb_buffer_pool_size AS buffer_pool;

SELECT installed_rank, version, description, checksum, installed_on, success FROM jobqueue_schema_history
ORDER BY installed_rank;

SELECT table_name AS t, table_rows AS about_rows, data_length AS data_bytes, index_length AS index_bytes
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name LIKE 'jobqueue%'
ORDER BY table_name;

-- Live jobs. 0: ready; 1: running; 2, 7 and 8: ready and under suspicion; 9: waits for its order key; 10: for its limit key.
SELECT state, queue, type, type_id, priority, COUNT(*) AS jobs, MIN(available_at) AS first_at, MAX(available_at) AS last_at,
    MAX(attempt) AS attempts, MAX(crashes) AS crashes, MAX(outages) AS outages, MAX(held_limit) AS held_limit,
    SUM(CASE WHEN order_key IS NULL THEN 0 ELSE 1 END) AS ordered, SUM(CASE WHEN limit_key IS NULL THEN 0 ELSE 1 END) AS limited,
    MIN(deadline_at) AS first_deadline, COUNT(DISTINCT session_id) AS sessions, MAX(LENGTH(payload)) AS longest
FROM jobqueue_job
GROUP BY state, queue, type, type_id, priority
ORDER BY state, queue, type, type_id, priority
LIMIT 500;

SELECT state, COUNT(*) AS jobs, MIN(finished_at) AS first_at, MAX(finished_at) AS last_at FROM jobqueue_archive
GROUP BY state
ORDER BY state;

-- Why jobs are dead: the kind of error of each cause.
SELECT d.queue, d.type, d.cause_id, e.error_type, COUNT(DISTINCT d.job_id) AS jobs, MIN(d.died_at) AS first_at, MAX(d.died_at) AS last_at
FROM jobqueue_dead_job d LEFT JOIN jobqueue_error e ON e.job_id = d.job_id
GROUP BY d.queue, d.type, d.cause_id, e.error_type
ORDER BY COUNT(DISTINCT d.job_id) DESC
LIMIT 200;

SELECT id, started_at, heartbeat_at, expires_at, slots, busy, beats, queues, types FROM jobqueue_session ORDER BY id;

SELECT name, paused, lifo, mode FROM jobqueue_queue ORDER BY name;

SELECT job_id, fence, session_id, connection_id, started_at, deadline_at, freed, left_running FROM jobqueue_start
ORDER BY job_id
LIMIT 200;

SELECT id, name, max_attempts, delay_ms, multiplier, max_delay_ms, jitter, dead_handler, on_dead, limit_name
FROM jobqueue_type
ORDER BY name
LIMIT 500;

SELECT id, name, cron, interval_ms, zone, catch_up, catch_up_limit, overlap, jitter_ms, type, queue, priority, declared,
    declared_until, paused_at, next_at, due_at, last_at, last_job_id, fired, missed, skipped, failures
FROM jobqueue_schedule
ORDER BY name
LIMIT 500;

SELECT kind, name, definition_hash, revision, first_seen_at, seen_at FROM jobqueue_declaration
ORDER BY kind, name, revision
LIMIT 500;

SELECT state, COUNT(*) AS order_keys, MIN(changed_at) AS first_at, MAX(changed_at) AS last_at FROM jobqueue_order_key
GROUP BY state;

SELECT (SELECT COUNT(*) FROM jobqueue_order_place) AS order_places, (SELECT COUNT(*) FROM jobqueue_order_change) AS order_changes,
    (SELECT COUNT(*) FROM jobqueue_order_block) AS order_blocks, (SELECT COUNT(*) FROM jobqueue_limit_running) AS limit_running,
    (SELECT COUNT(*) FROM jobqueue_limit_place) AS limit_places, (SELECT COUNT(*) FROM jobqueue_unique_key) AS unique_keys,
    (SELECT COUNT(*) FROM jobqueue_payload) AS large_payloads, (SELECT COUNT(*) FROM jobqueue_tick) AS ticks;

SELECT l.id, l.name, l.running, l.starts, l.per_ms, l.burst, COUNT(a.limit_id) AS allowances, MIN(a.look_at) AS look_at
FROM jobqueue_limit l LEFT JOIN jobqueue_allowance a ON a.limit_id = l.id
GROUP BY l.id, l.name, l.running, l.starts, l.per_ms, l.burst
ORDER BY l.name;

SELECT id, action, state, job_state, queue, type, from_at, until_at, last_id, passes, expected, expected_more, changed, locked,
    failed, started_at, ended_at
FROM jobqueue_operation
ORDER BY id DESC
LIMIT 50;

SELECT source, action, outcome, COUNT(*) AS entries, MAX(begun_at) AS last_at FROM jobqueue_audit
GROUP BY source, action, outcome
ORDER BY source, action, outcome;

SELECT state, keep_seconds, keep_rows, elsewhere_until, seen_at FROM jobqueue_retention ORDER BY state, seen_at;

SELECT session_id, solo_job_id, reserved_until FROM jobqueue_quarantine;

-- Who holds locks now.
SELECT object_name AS t, index_name AS i, lock_type, lock_mode, lock_status, COUNT(*) AS locks
FROM performance_schema.data_locks
WHERE object_schema = DATABASE()
GROUP BY object_name, index_name, lock_type, lock_mode, lock_status;
