"""The worker of examples/python-worker as a process of the tests: handlers that leave traces, and what they say of them.

As ChaosWorker, it says when it is ready, which attempts it starts, and which it believes to have succeeded. It stops in good
order at SIGTERM, and at once when its standard input ends, with the process that started it.
"""
import contextlib
import logging
import os
import pathlib
import re
import sys
import threading
import time

import pymysql

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "examples" / "python-worker"))
from jobqueue_worker import PermanentError, Worker  # noqa: E402

EFFECT = "INSERT INTO effect (job_id, fence, attempt, worker) VALUES (%s, %s, %s, %s)"
LEDGER = "INSERT INTO ledger (job_id, fence, attempt, worker) VALUES (%s, %s, %s, %s)"

arguments = dict(argument.split("=", 1) for argument in sys.argv[1:])
host, port, name = re.match(r"jdbc:mysql://([^:/]+):(\d+)/([^?]+)", arguments["url"]).groups()
database = {"host": host, "port": int(port), "database": name, "user": arguments["username"],
            "password": arguments["password"]}
worker = Worker(arguments["name"], database, queues=[arguments["queue"]] if arguments["queue"] else [],
                session_timeout=int(arguments["session"]) / 1000, poll_interval=0.2, decode=str)
attempts = int(arguments["attempts"])
lock = threading.Lock()


def say(*words):
    with lock:
        print(*words, flush=True)


class SayWon(logging.Handler):
    def emit(self, record):
        if "succeeded" in record.msg:
            say("won", record.args[1], record.args[2])


def leave_effect(job):
    with pymysql.connect(**database, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(EFFECT, [job.id, job.fence, job.attempt, arguments["name"]])


def sleep(payload):
    time.sleep(int(re.search(r"sleep=(\d+)", payload).group(1)) / 1000)


@worker.handler("effect", max_attempts=attempts)
def effect(payload, job):
    say("started", job.id, job.fence)
    sleep(payload)
    leave_effect(job)


@worker.handler("ledger", max_attempts=attempts, transactional=True)
def ledger(payload, job):
    say("started", job.id, job.fence)
    job.cursor.execute(LEDGER, [job.id, job.fence, job.attempt, arguments["name"]])
    sleep(payload)


@worker.handler("failing", max_attempts=attempts)
def failing(payload, job):
    say("started", job.id, job.fence)
    leave_effect(job)
    raise RuntimeError("fails always")


@worker.handler("python-only", max_attempts=attempts)
def python_only(payload, job):
    say("started", job.id, job.fence)


@worker.handler("poison", max_attempts=attempts)
def poison(payload, job):
    say("started", job.id, job.fence)
    os._exit(3)


@worker.handler("deaf-ledger", max_attempts=attempts, transactional=True)
def deaf_ledger(payload, job):
    """Swallows that its transaction was ended, as by a deadlock."""
    say("started", job.id, job.fence)
    job.cursor.execute(LEDGER, [job.id, job.fence, job.attempt, arguments["name"]])
    if job.attempt == 1:
        job.cursor.execute("ROLLBACK")
        job.cursor.execute(LEDGER, [job.id, job.fence, job.attempt, arguments["name"]])


@worker.handler("odd-error", max_attempts=attempts)
def odd_error(payload, job):
    raise PermanentError("half a character: \ud83d")


@worker.handler("lost", max_attempts=1, transactional=True)
def lost(payload, job):
    """Loses its connection the first time."""
    say("started", job.id, job.fence)
    if job.fence == 1:
        with contextlib.suppress(pymysql.MySQLError):
            job.cursor.execute("KILL CONNECTION_ID()")
        job.cursor.execute("SELECT 1")


@worker.handler("python-hanging", timeout=1, max_attempts=attempts)
def hanging(payload, job):
    say("started", job.id, job.fence)
    time.sleep(3600)


def say_when_ready():
    while worker.session is None:
        time.sleep(0.01)
    say("ready")


def end_with_parent():
    while os.read(0, 1):    # not sys.stdin, whose lock the interpreter wants when it ends
        pass
    os._exit(2)


logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
logging.getLogger("jobqueue").addHandler(SayWon())
threading.Thread(target=say_when_ready, daemon=True).start()
threading.Thread(target=end_with_parent, daemon=True).start()
worker.run()
