'use strict';

/**
 * Enqueues jobs of the job queue from Node. It keeps the contract of docs/sql-contract.md.
 */

const INSERT = `INSERT INTO jobqueue_job (type, payload, queue, priority, available_at)
    VALUES (?, ?, ?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)`;

const LOCK_KEY = `INSERT INTO jobqueue_unique_key (type, unique_key, job_id, expires_at)
    VALUES (?, ?, 0, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE job_id = job_id`;

const JOB_OF_KEY = `SELECT CAST(k.job_id AS CHAR) AS id FROM jobqueue_unique_key k
    WHERE k.type = ? AND k.unique_key = ? AND k.job_id <> 0
        AND (k.expires_at > UTC_TIMESTAMP(6)
            OR EXISTS (SELECT 1 FROM jobqueue_job j WHERE j.id = k.job_id AND j.enqueued_at = k.job_enqueued_at))`;

const TAKE_KEY = `UPDATE jobqueue_unique_key
    SET job_id = LAST_INSERT_ID(), expires_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND,
        job_enqueued_at = (SELECT enqueued_at FROM jobqueue_job WHERE id = LAST_INSERT_ID())
    WHERE type = ? AND unique_key = ?`;

const DAY = 24 * 60 * 60 * 1000;

/** Nothing was written; the whole transaction may be tried again. */
const CONFLICTS = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT']);

/**
 * Enqueues a job. In a transaction of the caller's, the job exists once that commits.
 *
 * @param connection a connection of mysql2/promise
 * @param type the job type
 * @param payload what the handler gets, as JSON; undefined for none
 * @param options queue, priority (0 to 9), delay (ms)
 * @returns the job's id, as a string: it may be larger than a number can tell
 */
async function enqueue(connection, type, payload, options = {}) {
  const { queue = 'default', priority = 4, delay = 0 } = options;
  const json = payload === undefined ? null : JSON.stringify(payload);
  const [result] = await connection.query(INSERT, [type, json, queue, priority, Math.round(delay * 1000)]);
  return String(result.insertId);
}

/**
 * Enqueues a job unless its key is taken, in a transaction of its own. After a lost connection it may simply be called
 * again with a new one: if the job was committed, the key tells.
 *
 * @param connection a connection of mysql2/promise, with no transaction open
 * @param type the job type
 * @param uniqueKey the key, at most 191 characters; keys of other types are others
 * @param payload what the handler gets
 * @param options as those of enqueue, and keepKey: how long the key is taken at least (ms), from when the
 *     job is due; a day unless given
 * @returns the id of the job that has the key, and whether that is a new one
 */
async function enqueueOnce(connection, type, uniqueKey, payload, options = {}) {
  if (typeof connection.getConnection === 'function') {
    throw new TypeError('a pool would send each statement over another connection; give one of its connections');
  }
  for (let tries = 1; ; tries++) {
    try {
      return await tryToEnqueueOnce(connection, type, uniqueKey, payload, options);
    } catch (error) {
      if (!CONFLICTS.has(error.code) || tries === 5) {
        throw error;
      }
    }
  }
}

async function tryToEnqueueOnce(connection, type, uniqueKey, payload, options) {
  await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await connection.query('START TRANSACTION');
  try {
    await connection.query(LOCK_KEY, [type, uniqueKey]);
    const [taken] = await connection.query(JOB_OF_KEY, [type, uniqueKey]);
    const id = taken.length > 0 ? taken[0].id : await enqueue(connection, type, payload, options);
    if (taken.length === 0) {
      const { keepKey = DAY, delay = 0 } = options;
      await connection.query(TAKE_KEY, [Math.round((delay + keepKey) * 1000), type, uniqueKey]);
    }
    await connection.query('COMMIT');
    return { id, added: taken.length === 0 };
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {}); // The first error says more.
    throw error;
  }
}

module.exports = { enqueue, enqueueOnce };
