"""A worker of the job queue in Python, beside its Java workers. It keeps the contract of docs/sql-contract.md."""
import json
import logging
import random
import signal
import threading
import time
import traceback
from collections import namedtuple
from contextlib import contextmanager

import pymysql

OPEN_SESSION = """INSERT INTO jobqueue_session
        (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
    VALUES (%(session)s, %(worker)s, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),
        UTC_TIMESTAMP(6) + INTERVAL %(timeout)s SECOND, 1, 0, %(queues)s, %(types)s)"""
HEARTBEAT = """UPDATE jobqueue_session
    SET heartbeat_at = UTC_TIMESTAMP(6), expires_at = UTC_TIMESTAMP(6) + INTERVAL %(timeout)s SECOND, beats = beats + 1,
        busy = %(busy)s WHERE id = %(session)s"""
NEW_TYPE = """INSERT IGNORE INTO jobqueue_type (id, name)
    VALUES (GREATEST(1, CRC32(%(type)s) >> 1) + %(tries)s, %(type)s)"""
DESCRIBE_TYPE = """UPDATE jobqueue_type SET max_attempts = %(attempts)s, delay_ms = 1000, multiplier = 2,
    max_delay_ms = 3600000, jitter = 0.2 WHERE name = %(type)s"""

RANGES = """SELECT r.state, r.type_id, r.queue, r.priority, COALESCE(q.lifo, 0) AS lifo
    FROM (SELECT state, type_id, queue, priority, MIN(available_at) AS due_at
          FROM jobqueue_job FORCE INDEX (jobqueue_job_claim) WHERE state IN (0, 2, 7) AND type_id IN %(type_ids)s
          GROUP BY state, type_id, queue, priority) r LEFT JOIN jobqueue_queue q ON q.name = r.queue
    WHERE r.due_at <= UTC_TIMESTAMP(6) AND COALESCE(q.paused, 0) = 0
    ORDER BY r.priority DESC, r.due_at"""
QUARANTINE = """SELECT solo_job_id FROM jobqueue_quarantine FORCE INDEX (PRIMARY)
    WHERE id = 1 AND NOT (reserved_until > UTC_TIMESTAMP(6) AND reserved_until <= UTC_TIMESTAMP(6) + INTERVAL 3 SECOND)
    FOR UPDATE SKIP LOCKED"""
RUNS_SOLO = "SELECT id FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE id = %(job)s AND state = 1 AND outages >= 4"
NEXT = """SELECT id, fence, type, attempt, max_attempts, timeout_ms,
        IF(large_payload = 1, (SELECT p.payload FROM jobqueue_payload p WHERE p.job_id = j.id), payload) AS payload
    FROM jobqueue_job j FORCE INDEX (jobqueue_job_claim)
    WHERE state = %(state)s AND type_id = %(type_id)s AND queue = %(queue)s AND priority = %(priority)s
        AND available_at <= UTC_TIMESTAMP(6) AND expires_at > UTC_TIMESTAMP(6) AND type IN %(types)s AND outages < 3
        AND NOT EXISTS (SELECT 1 FROM jobqueue_queue WHERE name = %(queue)s AND paused = 1)
    ORDER BY available_at, id LIMIT 1 FOR UPDATE SKIP LOCKED"""
NEXT_LIFO = NEXT.replace("available_at, id", "available_at DESC, id DESC")
CLAIM = """UPDATE jobqueue_job FORCE INDEX (PRIMARY)
    SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = %(session)s, held_limit = 1,
        claimed_at = UTC_TIMESTAMP(6), deadline_at = UTC_TIMESTAMP(6) + INTERVAL %(deadline)s SECOND
    WHERE id = %(id)s"""

CURRENT = "id = %(job)s AND fence = %(fence)s AND session_id = %(session)s AND state = 1"
COLUMNS = """queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms, crashes, session_id,
        claimed_at, enqueued_at, large_payload, payload"""
ARCHIVE = f"""INSERT IGNORE INTO jobqueue_archive (id, state, finished_at, {COLUMNS})
    SELECT id, %(end)s, UTC_TIMESTAMP(6), {COLUMNS}
    FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE {CURRENT} FOR UPDATE"""
DELETE = f"DELETE FROM jobqueue_job WHERE {CURRENT}"
READY = "type_id = 0, fence = fence + 1, session_id = 0, held_limit = 0, deadline_at = '9999-12-31 00:00:00'"
RETRY = f"""UPDATE jobqueue_job FORCE INDEX (PRIMARY)
    SET state = 0, crashes = 0, outages = 0, available_at = UTC_TIMESTAMP(6) + INTERVAL %(delay)s SECOND, {READY}
    WHERE {CURRENT}"""
UNRUN = f"""state = CASE WHEN crashes >= 2 THEN 7 WHEN outages >= 3 THEN 8 WHEN crashes = 0 AND outages = 0 THEN 0
        ELSE 2 END, attempt = attempt - 1, {READY}"""
RELEASE = f"UPDATE jobqueue_job FORCE INDEX (PRIMARY) SET {UNRUN} WHERE {CURRENT}"
RELEASE_ALL = f"""UPDATE jobqueue_job FORCE INDEX (jobqueue_job_claim) SET {UNRUN}
    WHERE state = 1 AND session_id = %(session)s"""
ERROR = """REPLACE INTO jobqueue_error (job_id, fence, attempt, failed_at, error_type, message, stack_trace)
    VALUES (%(job)s, %(fence)s, %(attempt)s, UTC_TIMESTAMP(6), %(error)s, %(message)s, %(trace)s)"""

SUCCEEDED, DEAD = 3, 4
log = logging.getLogger("jobqueue")
Job = namedtuple("Job", "id fence session type attempt max_attempts payload cursor")


class PermanentError(Exception):
    """The job is not to be tried again."""


class Stale(Exception):
    """Somebody else may have the job: nothing of the claim may be written."""


class Worker:
    def __init__(self, name, database, queues=(), session_timeout=15, poll_interval=1, decode=json.loads):
        self.name, self.queues, self.decode = name, queues, decode
        self.database = dict(database, autocommit=True, cursorclass=pymysql.cursors.DictCursor)
        self.session_timeout, self.poll_interval = session_timeout, poll_interval
        self.handlers, self.type_ids, self.session, self.valid_until = {}, [0], None, 0.0
        self.connection, self.busy, self.stopping, self.stopped = None, 0, threading.Event(), threading.Event()

    def handler(self, job_type, max_attempts=10, timeout=600, transactional=False):
        return lambda function: self.handlers.setdefault(job_type, (function, max_attempts, timeout, transactional))[0]

    def run(self):
        """Runs jobs until SIGTERM or SIGINT; the job that runs then is finished first."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stopping.set())
        heart = threading.Thread(target=self.keep_session, daemon=True)
        heart.start()
        while not self.stopping.is_set():
            worked = False
            try:
                worked = self.work()
            except (pymysql.MySQLError, Stale):
                log.warning("Looking for another job", exc_info=True)
                self.disconnect()
            if not worked:
                self.stopping.wait(self.poll_interval)
        self.stopped.set()
        heart.join()
        with self.transaction() as cursor:
            cursor.execute("DELETE FROM jobqueue_session WHERE id = %(session)s", {"session": self.session})

    def keep_session(self):
        """On a thread and connections of its own: a long handler must not keep the session from its heartbeats."""
        wait = self.session_timeout / 3
        limited = {**self.database, "connect_timeout": wait, "read_timeout": wait}
        while not self.stopped.is_set():
            sent = time.monotonic()    # the session lives from here on, not from when the answer comes
            try:
                with pymysql.connect(**limited) as connection, connection.cursor() as cursor:
                    beat = {"session": self.session, "timeout": self.session_timeout, "busy": self.busy}
                    if self.session is None or not cursor.execute(HEARTBEAT, beat):
                        self.open_session(cursor)    # the last one was ended: others have its jobs
                self.valid_until = sent + self.session_timeout
            except pymysql.MySQLError:
                log.warning("No heartbeat", exc_info=True)
            self.stopped.wait(wait)

    def open_session(self, cursor):
        self.type_ids = [0]
        for name, handler in sorted(self.handlers.items()):
            tries = 0
            while not cursor.execute("SELECT id FROM jobqueue_type WHERE name = %(type)s", {"type": name}):
                cursor.execute(NEW_TYPE, {"type": name, "tries": tries})    # nothing, if another type has the number
                tries += 1
            self.type_ids.append(cursor.fetchone()["id"])
            cursor.execute(DESCRIBE_TYPE, {"type": name, "attempts": handler[1]})
        session = random.SystemRandom().randrange(1, 2 ** 53)
        cursor.execute(OPEN_SESSION, {"session": session, "worker": self.name, "timeout": self.session_timeout,
                                      "queues": ",".join(self.queues), "types": ",".join(self.handlers)})
        self.session = session

    def is_valid(self, session):
        return session is not None and session == self.session and time.monotonic() < self.valid_until

    def work(self):
        """Claims a job and runs it. False if there was none."""
        session, self.busy = self.session, 0
        if not self.is_valid(session):
            return False
        if self.connection is None:    # the commit of a claim may have got lost with the last one
            with self.transaction() as cursor:
                cursor.execute(RELEASE_ALL, {"session": session})
        with self.transaction() as cursor:
            cursor.execute(RANGES, {"type_ids": self.type_ids})
            ranges = [row for row in cursor.fetchall() if not self.queues or row["queue"] in self.queues]
        job = next(filter(None, (self.claim(session, found) for found in ranges)), None)
        if job:
            self.busy = 1
            self.attempt(job)
        return job is not None

    def claim(self, session, found):
        with self.transaction() as cursor:
            if found["state"] != 0 and not (cursor.execute(QUARANTINE) and not cursor.execute(
                    RUNS_SOLO, {"job": cursor.fetchone()["solo_job_id"]})):
                return None
            if not cursor.execute(NEXT_LIFO if found["lifo"] else NEXT, {**found, "types": list(self.handlers)}):
                return None
            row = cursor.fetchone()
            job_type = row["type"].rstrip()
            _, max_attempts, timeout, _ = self.handlers[job_type]
            cursor.execute(CLAIM, {**row, "session": session, "deadline": row["timeout_ms"] / 1000 or timeout})
        return Job(row["id"], row["fence"] + 1, session, job_type, row["attempt"] + 1,
                   row["max_attempts"] or max_attempts, row["payload"], None)

    def attempt(self, job):
        function, _, _, transactional = self.handlers[job.type]
        step = "read"
        try:
            if not self.is_valid(job.session):
                raise Stale("It has been too long since the last heartbeat")
            value = None if job.payload is None else self.decode(job.payload)
            step = "run"
            if transactional:
                with self.transaction() as cursor:
                    cursor.execute("SAVEPOINT job")
                    function(value, job._replace(cursor=cursor))
                    cursor.execute("RELEASE SAVEPOINT job")    # fails if a deadlock or DDL has ended the transaction
                    step = "end"
                    end(cursor, job, SUCCEEDED)
            else:
                function(value, job)
                step = "end"
                self.finish(job, SUCCEEDED)
            log.info("%s job %d succeeded, fence %d", job.type, job.id, job.fence)
        except Stale:
            raise
        except Exception as failure:
            log.warning("%s job %d, attempt %d of %d", job.type, job.id, job.attempt, job.max_attempts, exc_info=True)
            error = {"attempt": job.attempt, "error": type(failure).__name__, "message": str(failure)[:2000],
                     "trace": traceback.format_exc()[:65535]}
            if step == "end":    # nobody knows whether it was committed; the fence does
                self.disconnect()
                self.finish(job, RELEASE)
            elif step == "read" or isinstance(failure, PermanentError) or job.attempt >= job.max_attempts:
                self.finish(job, DEAD, error)
            else:
                self.finish(job, RETRY, error, min(3600, 2 ** min(job.attempt - 1, 12)) * random.uniform(0.8, 1.2))

    def finish(self, job, how, error=None, delay=0):
        """Ends a claim, and asks again until there is an answer."""
        while True:
            try:
                with self.transaction() as cursor:
                    return end(cursor, job, how, error, delay)
            except pymysql.MySQLError:
                if not self.is_valid(job.session):
                    raise    # others have the job, or will have it
                self.disconnect()
                time.sleep(random.uniform(0.1, 1))

    @contextmanager
    def transaction(self):
        if self.connection is None:
            self.connection = pymysql.connect(
                **self.database, init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        self.connection.begin()
        try:
            yield self.connection.cursor()
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def disconnect(self):
        if self.connection and self.connection.open:
            self.connection.close()
        self.connection = None


def end(cursor, job, how, error=None, delay=0):
    values = {"job": job.id, "fence": job.fence, "session": job.session, "end": how, "delay": delay, **(error or {})}
    if how in (SUCCEEDED, DEAD):
        cursor.execute(ARCHIVE, values)    # does nothing if an older job there has the id
    if not cursor.execute(DELETE if how in (SUCCEEDED, DEAD) else how, values):
        raise Stale(f"{job.type} job {job.id} was taken away, or had ended; fence {job.fence}")
    if error:
        cursor.execute(ERROR, values)
