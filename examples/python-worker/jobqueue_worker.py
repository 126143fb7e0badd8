"""A worker of the job queue in Python, beside its Java workers. It keeps the contract of docs/sql-contract.md."""
import json
import logging
import os
import random
import re
import signal
import threading
import time
import traceback
from collections import namedtuple
from contextlib import contextmanager, suppress

import pymysql

ISOLATION = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
OPEN = """INSERT INTO jobqueue_session (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
    VALUES (%(session)s, %(worker)s, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),
        UTC_TIMESTAMP(6) + INTERVAL %(timeout)s SECOND, 1, 0, %(queues)s, %(names)s)"""
HEARTBEAT = """UPDATE jobqueue_session SET heartbeat_at = UTC_TIMESTAMP(6), beats = beats + 1, busy = %(busy)s,
        expires_at = UTC_TIMESTAMP(6) + INTERVAL %(timeout)s SECOND WHERE id = %(session)s"""
NEW_ID = "INSERT IGNORE INTO jobqueue_type (id, name) VALUES (GREATEST(1, CRC32(%(type)s) >> 1) + %(tries)s, %(type)s)"
DESCRIBE_TYPE = """UPDATE jobqueue_type SET max_attempts = %(attempts)s, delay_ms = 1000, multiplier = 2,
        max_delay_ms = 3600000, jitter = 0.2 WHERE name = %(type)s"""
RANGES = """SELECT r.state, r.type_id, r.queue, r.priority, COALESCE(q.lifo, 0) AS lifo
    FROM (SELECT state, type_id, queue, priority, MIN(available_at) AS due_at
          FROM jobqueue_job FORCE INDEX (jobqueue_job_claim) WHERE state IN (0, 2, 7) AND type_id IN %(type_ids)s
          GROUP BY state, type_id, queue, priority) r LEFT JOIN jobqueue_queue q ON q.name = r.queue
    WHERE r.due_at <= UTC_TIMESTAMP(6) AND COALESCE(q.paused, 0) = 0 ORDER BY r.priority DESC, RAND()"""
QUARANTINE = """SELECT solo_job_id FROM jobqueue_quarantine FORCE INDEX (PRIMARY)
    WHERE id = 1 AND NOT (reserved_until > UTC_TIMESTAMP(6) AND reserved_until <= UTC_TIMESTAMP(6) + INTERVAL 3 SECOND)
    FOR UPDATE SKIP LOCKED"""
SOLO = "SELECT id FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE id = %(solo_job_id)s AND state = 1 AND outages >= 4"
NEXT = """SELECT id, fence, RTRIM(type) AS type, attempt, max_attempts, timeout_ms, outages, large_payload, payload
    FROM jobqueue_job FORCE INDEX (jobqueue_job_claim)
    WHERE state = %(state)s AND type_id = %(type_id)s AND queue = %(queue)s AND priority = %(priority)s
        AND available_at <= UTC_TIMESTAMP(6) AND expires_at > UTC_TIMESTAMP(6) AND type IN %(types)s AND outages < 3
        AND fence BETWEEN 0 AND 9000000000000000000 AND attempt BETWEEN 0 AND 2000000000
        AND NOT EXISTS (SELECT 1 FROM jobqueue_queue WHERE name = %(queue)s AND (paused = 1 OR mode <> 0))
        AND NOT EXISTS (SELECT 1 FROM jobqueue_type t WHERE t.name = jobqueue_job.type AND t.limit_name <> '')
    ORDER BY available_at, id LIMIT 1 FOR UPDATE SKIP LOCKED"""
LARGE = "SELECT payload FROM jobqueue_payload WHERE job_id = %(id)s"
NEXT_LIFO = NEXT.replace("available_at, id", "available_at DESC, id DESC")
UPDATE = "UPDATE jobqueue_job FORCE INDEX (PRIMARY) SET"
CLAIM = f"""{UPDATE} state = 1, fence = fence + 1, attempt = attempt + 1, held_limit = 1, claimed_at = UTC_TIMESTAMP(6),
        session_id = %(session)s, deadline_at = UTC_TIMESTAMP(6) + INTERVAL %(deadline)s SECOND WHERE id = %(id)s"""
OWN = "SELECT id, fence FROM jobqueue_job FORCE INDEX (jobqueue_job_claim) WHERE state = 1 AND session_id = %(session)s"
CURRENT = "id = %(job)s AND fence = %(fence)s AND session_id = %(session)s AND state = 1"
COLUMNS = """queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms, crashes, session_id,
        claimed_at, enqueued_at, scheduled_for, order_key, limit_key, trace, large_payload, payload"""
ARCHIVE = f"""INSERT IGNORE INTO jobqueue_archive (id, state, finished_at, {COLUMNS}) SELECT id, %(end)s,
        UTC_TIMESTAMP(6), {COLUMNS} FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE {CURRENT} FOR UPDATE"""
TELL = f"""INSERT INTO jobqueue_job (type, queue, priority, payload)
    SELECT REPLACE(CONCAT('jobqueue.dead.', t.name), '.*', ''), queue, priority, CONCAT('{{"job":', j.id,
        ',"enqueuedMicros":', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', enqueued_at), '}}') FROM jobqueue_job j
    FORCE INDEX (PRIMARY) JOIN jobqueue_type t ON t.dead_handler = 1 AND t.name IN (j.type, '*')
    WHERE j.{CURRENT} AND LEFT(j.type, 13) <> 'jobqueue.dead' ORDER BY t.name DESC LIMIT 1"""
KEEP = "UPDATE jobqueue_archive SET call_id = LAST_INSERT_ID() WHERE id = %(job)s AND fence = %(fence)s AND ROW_COUNT()"
NEXT_OF_KEY = f"""INSERT IGNORE INTO jobqueue_order_change (kind, job_id, order_key) SELECT 0, id, order_key
    FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE {CURRENT} AND order_key IS NOT NULL"""
DELETE = f"DELETE jobqueue_job FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE {CURRENT}"
READY = "type_id = 0, fence = fence + 1, session_id = 0, held_limit = 0, deadline_at = '9999-12-31 00:00:00'"
AFTER = "available_at = UTC_TIMESTAMP(6) + INTERVAL %(delay)s SECOND"
RETRY = f"{UPDATE} state = 0, crashes = 0, outages = 0, {AFTER}, {READY} WHERE {CURRENT}"
RELEASE = f"""{UPDATE} state = CASE WHEN crashes >= 2 THEN 7 WHEN outages >= 3 THEN 8
        WHEN crashes = 0 AND outages = 0 THEN 0 ELSE 2 END, attempt = attempt - 1, {READY} WHERE {CURRENT}"""
OUTAGE = f"""{UPDATE} state = CASE WHEN crashes >= 2 THEN 7 ELSE 2 END, outages = outages + 1, attempt = attempt - 1,
        {AFTER}, {READY} WHERE {CURRENT}"""
ERROR = """REPLACE INTO jobqueue_error (job_id, fence, attempt, failed_at, error_type, message, stack_trace)
    VALUES (%(job)s, %(fence)s, %(attempt)s, UTC_TIMESTAMP(6), %(error)s, %(message)s, %(trace)s)"""
SUCCEEDED, DEAD, LOST = 3, 4, (0, 1053, 1180, 1290, 1836, 1927, 2003, 2006, 2013, 4031)
log = logging.getLogger("jobqueue")
Job = namedtuple("Job", "id fence session type attempt max_attempts outages payload cursor")


class PermanentError(Exception):
    """The job is not to be tried again."""


class Stale(BaseException):
    """Somebody else may have the job, so nothing of the claim may be written. It is no failure of the handler."""


class Worker:
    def __init__(self, name, database, queues=(), session_timeout=15, poll_interval=1, decode=json.loads):
        self.name, self.queues, self.decode = name, queues, decode
        self.database = {"read_timeout": 60, **database, "autocommit": False, "cursorclass": pymysql.cursors.DictCursor}
        self.session_timeout, self.poll_interval = session_timeout, poll_interval
        self.handlers, self.type_ids, self.session, self.valid_until = {}, [0], None, 0.0
        self.connection, self.lost, self.doubt, self.give_up_at = None, False, None, None
        self.stopping, self.stopped = threading.Event(), threading.Event()

    def handler(self, job_type, max_attempts=10, timeout=600, transactional=False):
        if not re.fullmatch("[A-Za-z0-9._-]{1,64}", job_type):
            raise ValueError(f"'{job_type}' is no job type")
        return lambda function: self.handlers.setdefault(job_type, (function, max_attempts, timeout, transactional))[0]

    def run(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stopping.set())
        heart = threading.Thread(target=self.keep_session, daemon=True)    # so that long handlers do not stop it
        heart.start()
        while not self.stopping.is_set():
            try:
                pause = 0 if self.work() else self.poll_interval
            except (Exception, Stale):
                log.warning("A round failed; what it had claimed is given back", exc_info=True)
                pause, self.doubt = self.poll_interval, self.session    # the commit of a claim may come late
            self.give_up_at = None
            self.stopping.wait(pause)
        self.stopped.set()
        heart.join()
        with self.transaction() as cursor:
            self.release_held(cursor, self.session)
            cursor.execute("DELETE FROM jobqueue_session WHERE id = %(session)s", {"session": self.session})

    def keep_session(self):
        wait = self.session_timeout / 3
        limited = {**self.database, "autocommit": True, "connect_timeout": wait / 2, "read_timeout": wait / 2}
        while not self.stopped.is_set():
            sent, pause = time.monotonic(), wait    # the session lives from here on, not from when the answer comes
            if self.give_up_at and sent > self.give_up_at[0]:
                log.critical("Job %d's handler hangs. The job was taken away; this process ends", self.give_up_at[1])
                os._exit(70)
            try:
                with pymysql.connect(**limited) as connection, connection.cursor() as cursor:
                    beat = dict(session=self.session, timeout=self.session_timeout, busy=int(bool(self.give_up_at)))
                    if self.session is None or not cursor.execute(HEARTBEAT, beat):
                        self.open_session(cursor)    # the last one was ended: others have its jobs
                self.valid_until = sent + self.session_timeout
            except Exception:
                log.warning("No heartbeat of session %s; again in 1 s", self.session, exc_info=True)
                pause = 1
            self.stopped.wait(max(0, sent + pause - time.monotonic()))

    def open_session(self, cursor):
        self.type_ids = [0]
        for name, handler in sorted(self.handlers.items()):
            tries = 0
            while not cursor.execute("SELECT id FROM jobqueue_type WHERE name = %(type)s", {"type": name}):
                cursor.execute(NEW_ID, {"type": name, "tries": tries})    # nothing, if another type has the number
                tries += 1
            self.type_ids.append(cursor.fetchone()["id"])
            cursor.execute(DESCRIBE_TYPE, {"type": name, "attempts": handler[1]})
        session = random.SystemRandom().randrange(1, 2 ** 53)
        cursor.execute(OPEN, {"session": session, "worker": self.name, "timeout": self.session_timeout,
                              "queues": ",".join(self.queues), "names": ",".join(self.handlers)})
        self.session = session

    def is_valid(self, session):
        return session is not None and session == self.session and time.monotonic() < self.valid_until

    def work(self):
        session = self.session
        if not self.is_valid(session):
            return False
        with self.transaction() as cursor:
            if session == self.doubt:
                self.release_held(cursor, session)
            cursor.execute(RANGES, {"type_ids": self.type_ids})
            ranges = [row for row in cursor.fetchall() if not self.queues or row["queue"].rstrip() in self.queues]
        job = next(filter(None, (self.claim(session, found) for found in ranges)), None)
        if job:
            self.attempt(job)
        return job is not None

    def claim(self, session, found):
        with self.transaction() as cursor:
            if found["state"] != 0 and (not cursor.execute(QUARANTINE) or cursor.execute(SOLO, cursor.fetchone())):
                return None
            if not cursor.execute(NEXT_LIFO if found["lifo"] else NEXT, {**found, "types": list(self.handlers)}):
                return None
            row = cursor.fetchone()
            _, max_attempts, timeout, _ = self.handlers[row["type"]]
            if row["large_payload"]:
                row["payload"] = cursor.fetchone()["payload"] if cursor.execute(LARGE, row) else "(missing)"
            deadline = min(row["timeout_ms"] / 1000, 1e9) if row["timeout_ms"] > 0 else timeout
            cursor.execute(CLAIM, {**row, "session": session, "deadline": deadline})
        self.give_up_at = time.monotonic() + deadline + 4 * self.session_timeout, row["id"]    # rescue comes first
        return Job(row["id"], row["fence"] + 1, session, row["type"], row["attempt"] + 1,
                   max(0, row["max_attempts"]) or max_attempts, row["outages"], row["payload"], None)

    def attempt(self, job):
        function, _, _, transactional = self.handlers[job.type]
        readable = self.lost = False
        try:
            if not self.is_valid(job.session):
                raise Stale("It has been too long since the last heartbeat")
            value, readable = (None if job.payload is None else self.decode(job.payload)), True
            if transactional:
                with self.transaction() as cursor:
                    cursor.execute("SAVEPOINT job")
                    function(value, job._replace(cursor=cursor))
                    cursor.execute("RELEASE SAVEPOINT job")    # fails if a deadlock or DDL has ended the transaction
                    self.end(cursor, job, SUCCEEDED)
            else:
                function(value, job)
                self.finish(job, SUCCEEDED)
            log.info("%s job %d succeeded, fence %d", job.type, job.id, job.fence)
        except Exception as failure:
            log.warning(f"{job.type} job {job.id}: attempt {job.attempt} of {job.max_attempts} failed", exc_info=True)
            message, trace = (t.encode("utf-8", "replace").decode() for t in (str(failure), traceback.format_exc()))
            error = {"attempt": job.attempt, "error": type(failure).__name__[:255], "message": message[:2000],
                     "trace": trace[:65535]}
            if transactional and (self.lost or self.is_lost(failure)) and job.outages < 2:    # the fence tells
                self.finish(job, OUTAGE, error, 10)
            elif not readable or isinstance(failure, PermanentError) or job.attempt >= job.max_attempts:
                self.finish(job, DEAD, error)
            else:
                self.finish(job, RETRY, error, min(3600, 2 ** min(job.attempt - 1, 12)) * random.uniform(0.8, 1.2))

    def finish(self, job, how, error=None, delay=0):
        for tries in range(1 << 60):    # once the claim has ended, asking again changes nothing
            try:
                with self.transaction() as cursor:
                    return self.end(cursor, job, how, error, delay)
            except pymysql.MySQLError as failure:
                if self.session != job.session or (tries > 2 and not self.is_lost(failure)):
                    raise
                time.sleep(random.uniform(0.1, 1))

    @contextmanager
    def transaction(self):
        self.connection = self.connection or pymysql.connect(**self.database, init_command=ISOLATION)
        try:
            yield self.connection.cursor()
            self.connection.commit()
        except BaseException:
            self.lost = not self.connection.open
            with suppress(pymysql.MySQLError):    # the server rolls back
                self.connection.close()
            self.connection = None
            raise

    def end(self, cursor, job, how, error=None, delay=0):
        values = dict(error or {}, job=job.id, fence=job.fence, session=job.session, end=how, delay=delay)
        for statement in {SUCCEEDED: [ARCHIVE, NEXT_OF_KEY], DEAD: [ARCHIVE, TELL, KEEP, NEXT_OF_KEY]}.get(how, []):
            cursor.execute(statement, values)    # an older job in the archive may have the id; then it stays there
        if not cursor.execute(DELETE if how in (SUCCEEDED, DEAD) else how, values):
            raise Stale(f"{job.type} job {job.id} was taken away, or had ended; fence {job.fence}")
        if error:
            cursor.execute(ERROR, values)

    def release_held(self, cursor, session):
        cursor.execute(OWN, {"session": session})
        for row in cursor.fetchall():
            cursor.execute(RELEASE, {"job": row["id"], "fence": row["fence"], "session": session})

    def is_lost(self, failure):
        return isinstance(failure, pymysql.MySQLError) and bool(failure.args) and failure.args[0] in LOST
