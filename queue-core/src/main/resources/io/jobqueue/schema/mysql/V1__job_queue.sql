-- The job queue's tables, for MySQL 8.0.20+ and MariaDB 10.6+.
--
-- Times are UTC. State codes: 0 ready, 1 running, 2, 7 and 8 ready but under suspicion of killing its worker or the
-- database, 3 succeeded, 4 dead, 5 cancelled, 6 expired, 9 waits for an earlier job of its order key, 10 waits for its limit
-- key. 9999-12-31 stands for "never": what a claim changes is of fixed width and NOT NULL, so that InnoDB updates the row in place.
--
-- May be run again on tables that are there, all or some: DDL commits, so a migration that was cut off leaves its part.

-- Live jobs. Any program may enqueue with: INSERT INTO jobqueue_job (type, payload) VALUES ('…', '…').
CREATE TABLE IF NOT EXISTS jobqueue_job (
  id            BIGINT       NOT NULL AUTO_INCREMENT,
  state         TINYINT      NOT NULL DEFAULT 0,
  type_id       INT          NOT NULL DEFAULT 0,  -- the number of its type, if it was sorted out; 0: it was not
  queue         VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'default',
  priority      TINYINT      NOT NULL DEFAULT 4,
  available_at  DATETIME(6)  NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  type          VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fence         BIGINT       NOT NULL DEFAULT 0,  -- grows with every claim, every way out of running, and every change while ready
  attempt       INT          NOT NULL DEFAULT 0,
  max_attempts  INT          NOT NULL DEFAULT 0,  -- 0: the handler's own
  timeout_ms    BIGINT       NOT NULL DEFAULT 0,  -- 0: the handler's own
  crashes       SMALLINT     NOT NULL DEFAULT 0,  -- how often its worker died while holding it
  outages       SMALLINT     NOT NULL DEFAULT 0,  -- how often the database was lost while it ran, and it failed by that
  held_limit    SMALLINT     NOT NULL DEFAULT 0,  -- how many jobs its worker may hold, itself included; 0: any
  session_id    BIGINT       NOT NULL DEFAULT 0,  -- the worker session that holds it; 0: none
  claimed_at    DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',
  deadline_at   DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',  -- when rescue takes it from a worker that hangs
  expires_at    DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',
  enqueued_at   DATETIME(6)  NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  scheduled_for DATETIME(6)  NULL,  -- the tick of the schedule that it belongs to
  order_key     VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,  -- of jobs that run one after another
  limit_key     VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,  -- whose allowance of the limit it takes
  trace         VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NULL,  -- in which it was enqueued: headers, one in each line
  large_payload TINYINT      NOT NULL DEFAULT 0,  -- 1: the payload is in jobqueue_payload
  payload       MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  PRIMARY KEY (id),
  KEY jobqueue_job_claim (state, type_id, queue, priority, available_at),
  KEY jobqueue_job_expiry (expires_at),
  -- What any program may write is compared only: more would cost each claim, and claims sort out the rest.
  CONSTRAINT jobqueue_job_names CHECK (type <> '' AND queue <> ''),
  CONSTRAINT jobqueue_job_priority CHECK (priority BETWEEN 0 AND 9),
  CONSTRAINT jobqueue_job_state CHECK (state BETWEEN 0 AND 2 OR state BETWEEN 7 AND 10)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Payloads too large to be copied with every change of a job's row. A row lives as long as its job, archive included.
CREATE TABLE IF NOT EXISTS jobqueue_payload (
  job_id  BIGINT     NOT NULL,
  payload MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (job_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Jobs that ended.
CREATE TABLE IF NOT EXISTS jobqueue_archive (
  id            BIGINT       NOT NULL,
  state         TINYINT      NOT NULL,
  finished_at   DATETIME(6)  NOT NULL,
  queue         VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  priority      TINYINT      NOT NULL,
  available_at  DATETIME(6)  NOT NULL,
  fence         BIGINT       NOT NULL,
  attempt       INT          NOT NULL,
  max_attempts  INT          NOT NULL,
  timeout_ms    BIGINT       NOT NULL,
  crashes       SMALLINT     NOT NULL,
  session_id    BIGINT       NOT NULL,
  claimed_at    DATETIME(6)  NOT NULL,
  enqueued_at   DATETIME(6)  NOT NULL,
  scheduled_for DATETIME(6)  NULL,
  order_key     VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  limit_key     VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  trace         VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NULL,
  call_id       BIGINT       NULL,  -- of a dead job: the job that tells of it, for which it is kept
  large_payload TINYINT      NOT NULL,
  payload       MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  PRIMARY KEY (id),
  KEY jobqueue_archive_finished (state, finished_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Why attempts failed, one row for each that did.
CREATE TABLE IF NOT EXISTS jobqueue_error (
  job_id      BIGINT        NOT NULL,
  fence       BIGINT        NOT NULL,
  attempt     INT           NOT NULL,
  failed_at   DATETIME(6)   NOT NULL,
  error_type  VARCHAR(255)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message     VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  stack_trace MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (job_id, fence)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What makes an enqueue unique. A key is held while its job is live, and until expires_at in any case.
CREATE TABLE IF NOT EXISTS jobqueue_unique_key (
  type       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  unique_key VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  job_id     BIGINT       NOT NULL,
  expires_at DATETIME(6)  NOT NULL,
  job_enqueued_at DATETIME(6) NOT NULL DEFAULT '9999-12-31 00:00:00',  -- tells the job from another that got its id
  PRIMARY KEY (type, unique_key),
  KEY jobqueue_unique_key_expiry (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Worker sessions. A session ends when its row is deleted, not when it is old.
CREATE TABLE IF NOT EXISTS jobqueue_session (
  id           BIGINT       NOT NULL,  -- random, so that no other session ever has it
  worker       VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  started_at   DATETIME(6)  NOT NULL,
  heartbeat_at DATETIME(6)  NOT NULL,
  expires_at   DATETIME(6)  NOT NULL,
  slots        INT          NOT NULL,
  busy         INT          NOT NULL,
  beats        BIGINT       NOT NULL DEFAULT 0,  -- heartbeats so far: whoever reads fewer than were sent reads an old replica
  queues       TEXT         CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  types        TEXT         CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Queues that differ from the default: paused, last in first out, or in another mode. A queue needs no row here to exist.
CREATE TABLE IF NOT EXISTS jobqueue_queue (
  name   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  paused TINYINT     NOT NULL DEFAULT 0,
  lifo   TINYINT     NOT NULL DEFAULT 0,
  mode   TINYINT     NOT NULL DEFAULT 0,  -- 0: standard, 1: row-lock
  PRIMARY KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Jobs of row-lock queues whose handlers run: they stay ready, and their rows are locked. A record that is still there
-- when its row is not locked tells that the connection was lost while the job ran.
CREATE TABLE IF NOT EXISTS jobqueue_start (
  job_id        BIGINT      NOT NULL,
  fence         BIGINT      NOT NULL,  -- the one that a claim would have given to the job
  session_id    BIGINT      NOT NULL,
  connection_id BIGINT      NOT NULL,  -- the server's number of the connection that locks the row
  server        VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,  -- whose number that is
  started_at    DATETIME(6) NOT NULL,
  deadline_at   DATETIME(6) NOT NULL,  -- when rescue closes the connection of a worker that hangs
  freed         TINYINT     NOT NULL DEFAULT 0,  -- 1: the row was found unlocked, and the job is under suspicion
  left_running  TINYINT     NOT NULL DEFAULT 0,  -- 1: its worker has stopped in order, so its loss is no crash
  PRIMARY KEY (job_id, fence)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Job types: their numbers, for jobs that were sorted out by type because they stood in the way of workers that do not
-- know it, and how often and when their jobs are to be tried again, as their handlers say, for nodes that have none. A
-- number is made of the type's name, so that a table which was restored or truncated gives the same again.
CREATE TABLE IF NOT EXISTS jobqueue_type (
  id           INT         NOT NULL,
  name         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  max_attempts INT         NOT NULL DEFAULT 0,  -- 0: no worker has had a handler for it
  delay_ms     BIGINT      NOT NULL DEFAULT 0,
  multiplier   DOUBLE      NOT NULL DEFAULT 1,
  max_delay_ms BIGINT      NOT NULL DEFAULT 0,
  jitter       DOUBLE      NOT NULL DEFAULT 0,
  dead_handler TINYINT     NOT NULL DEFAULT 0,  -- 1: the death of its jobs is told by another job, jobqueue.dead.<name>
  on_dead      TINYINT     NOT NULL DEFAULT 0,  -- what follows the death of a job that has an order key, 0: the next job, 1: nothing, 2: the death of those that wait
  limit_name   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',  -- the limit of its jobs; empty: none
  PRIMARY KEY (id),
  UNIQUE KEY jobqueue_type_name (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Recurring jobs: when they are due, and what is enqueued then.
CREATE TABLE IF NOT EXISTS jobqueue_schedule (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  name            VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  definition_hash VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  cron            VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',  -- empty: the interval says when
  interval_ms     BIGINT       NOT NULL DEFAULT 0,
  zone            VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'Z',
  catch_up        TINYINT      NOT NULL DEFAULT 0,  -- of missed ticks, 0: once, 1: skip, 2: all
  catch_up_limit  INT          NOT NULL DEFAULT 1,
  overlap         TINYINT      NOT NULL DEFAULT 0,  -- while an earlier job is live, 0: skip, 1: allow
  jitter_ms       BIGINT       NOT NULL DEFAULT 0,
  type            VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  queue           VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'default',
  priority        TINYINT      NOT NULL DEFAULT 4,
  max_attempts    INT          NOT NULL DEFAULT 0,
  timeout_ms      BIGINT       NOT NULL DEFAULT 0,
  expires_after_ms BIGINT      NOT NULL DEFAULT 0,  -- 0: never
  payload         MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  declared        TINYINT      NOT NULL DEFAULT 0,  -- 1: in code, 0: saved while the application ran
  declared_until  DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',  -- until when live nodes declare it
  paused_at       DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',  -- since when it is paused
  next_at         DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',  -- the next tick
  due_at          DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',  -- when to look at it: at the next tick, as a rule
  last_at         DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',  -- the last tick that had a job
  last_job_id     BIGINT       NOT NULL DEFAULT 0,
  fired           BIGINT       NOT NULL DEFAULT 0,
  missed          BIGINT       NOT NULL DEFAULT 0,
  skipped         BIGINT       NOT NULL DEFAULT 0,
  failures        INT          NOT NULL DEFAULT 0,  -- how often in a row its job could not be enqueued
  problem         VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY jobqueue_schedule_name (name),
  KEY jobqueue_schedule_due (due_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Ticks that had a job, for a day: none has two, even if the clock goes back.
CREATE TABLE IF NOT EXISTS jobqueue_tick (
  schedule_id BIGINT      NOT NULL,
  tick_at     DATETIME(6) NOT NULL,
  job_id      BIGINT      NOT NULL,
  PRIMARY KEY (schedule_id, tick_at),
  KEY jobqueue_tick_time (tick_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What the code and the configuration of nodes declare: the newest definition that a live node has holds.
CREATE TABLE IF NOT EXISTS jobqueue_declaration (
  kind            TINYINT     NOT NULL,  -- 0: a schedule, 1: a limit, 2: the limit of a type
  name            VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  definition_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  revision        BIGINT      NOT NULL,
  first_seen_at   DATETIME(6) NOT NULL,
  seen_at         DATETIME(6) NOT NULL,
  PRIMARY KEY (kind, name, definition_hash, revision)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Order keys that have jobs, and the one job of each that may run: its head.
CREATE TABLE IF NOT EXISTS jobqueue_order_key (
  order_key  VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  head_id    BIGINT NOT NULL DEFAULT 0,  -- 0: none
  from_id    BIGINT NOT NULL DEFAULT 0,  -- no job with a lower id waits
  state      TINYINT NOT NULL DEFAULT 0,  -- 0: open, 1: blocked by the death of its head, 2: the jobs that wait follow it
  until_id   BIGINT NOT NULL DEFAULT 0,  -- up to which job they do
  changed_at DATETIME(6) NOT NULL,
  PRIMARY KEY (order_key)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Jobs that wait for an earlier one of their order key, in the order in which they will run.
CREATE TABLE IF NOT EXISTS jobqueue_order_place (
  order_key VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  job_id    BIGINT NOT NULL,
  PRIMARY KEY (order_key, job_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Jobs with an order key that have ended or come, until a worker has seen to their keys.
CREATE TABLE IF NOT EXISTS jobqueue_order_change (
  kind      TINYINT NOT NULL,  -- 0: ended, 1: come
  job_id    BIGINT  NOT NULL,
  order_key VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  waited    TINYINT NOT NULL DEFAULT 0,  -- 1: it ended while it waited
  PRIMARY KEY (kind, job_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Order keys that are blocked by the death of a job.
CREATE TABLE IF NOT EXISTS jobqueue_order_block (
  order_key  VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  job_id     BIGINT NOT NULL,
  blocked_at DATETIME(6) NOT NULL,
  PRIMARY KEY (order_key)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Limits: how many jobs of the types that name one may run at once, and start in a time. Changeable while all runs.
CREATE TABLE IF NOT EXISTS jobqueue_limit (
  id       INT NOT NULL AUTO_INCREMENT,
  name     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  running  INT NOT NULL DEFAULT 0,  -- how many at once; 0: any number
  starts   INT NOT NULL DEFAULT 0,  -- how many may start in that time; 0: any number
  per_ms   BIGINT NOT NULL DEFAULT 1000,
  burst    INT NOT NULL DEFAULT 1,  -- how many of those may start at one moment
  declared VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',  -- the configuration of a node that was stored last; empty: none was
  PRIMARY KEY (id),
  UNIQUE KEY jobqueue_limit_name (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What limits allow: to all their jobs without a key, and to those of each key. Its lock is the lock of the allowance.
CREATE TABLE IF NOT EXISTS jobqueue_allowance (
  limit_id     INT NOT NULL,
  limit_key    VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,  -- empty: jobs without a key
  booked_until BIGINT NOT NULL DEFAULT 0,  -- up to when starts are used up, in nanoseconds since 1970
  look_at      DATETIME(6) NOT NULL DEFAULT '9999-12-31 00:00:00',  -- when a job that waits may start
  changed_at   DATETIME(6) NOT NULL,
  PRIMARY KEY (limit_id, limit_key),
  KEY jobqueue_allowance_look (look_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Jobs that have one of the places of their limit's key: as long as they run with this fence, or are ready to.
CREATE TABLE IF NOT EXISTS jobqueue_limit_running (
  limit_id  INT NOT NULL,
  limit_key VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  job_id    BIGINT NOT NULL,
  fence     BIGINT NOT NULL,
  PRIMARY KEY (limit_id, limit_key, job_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Jobs that wait for a place of their limit's key, in the order in which they get one.
CREATE TABLE IF NOT EXISTS jobqueue_limit_place (
  limit_id  INT NOT NULL,
  limit_key VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  job_id    BIGINT NOT NULL,
  PRIMARY KEY (limit_id, limit_key, job_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Dead jobs by the cause of their death. A row lives as long as its job is dead.
CREATE TABLE IF NOT EXISTS jobqueue_dead_job (
  job_id   BIGINT      NOT NULL,
  cause_id BIGINT      NOT NULL,  -- a hash of the error's type, its place in the code and its message without numbers
  queue    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  died_at  DATETIME(6) NOT NULL,
  PRIMARY KEY (job_id),
  KEY jobqueue_dead_job_cause (cause_id, died_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Operations on many jobs, and how far they are.
CREATE TABLE IF NOT EXISTS jobqueue_operation (
  id            BIGINT       NOT NULL AUTO_INCREMENT,
  action        TINYINT      NOT NULL,  -- 0: redrive, 1: cancel
  state         TINYINT      NOT NULL DEFAULT 0,  -- 0: goes on, 1: done, 2: stopped
  job_state     TINYINT      NOT NULL,  -- which jobs: their state, and what follows
  queue         VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NULL,
  type          VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NULL,
  order_key     VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  limit_key     VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  cause_id      BIGINT       NULL,
  from_at       DATETIME(6)  NULL,
  until_at      DATETIME(6)  NULL,
  last_id       BIGINT       NOT NULL,  -- jobs with higher ids have come since
  position      VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',  -- where it is in the list of those jobs; empty: at its start
  passes        INT          NOT NULL DEFAULT 0,  -- how often it has gone through that list
  expected      BIGINT       NOT NULL,  -- how many jobs there were
  expected_more TINYINT      NOT NULL,  -- 1: counting them has stopped
  changed       BIGINT       NOT NULL DEFAULT 0,
  locked        BIGINT       NOT NULL DEFAULT 0,  -- how many were locked by others the last time
  failed        BIGINT       NOT NULL DEFAULT 0,  -- how many could not be changed, and were passed over
  actor         VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  started_at    DATETIME(6)  NOT NULL,
  ended_at      DATETIME(6)  NOT NULL DEFAULT '9999-12-31 00:00:00',
  problem       VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  KEY jobqueue_operation_state (state)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What operators have done.
CREATE TABLE IF NOT EXISTS jobqueue_audit (
  id       BIGINT        NOT NULL AUTO_INCREMENT,
  begun_at DATETIME(6)   NOT NULL,
  actor    VARCHAR(255)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  source   TINYINT       NOT NULL,  -- 0: a call, 1: the endpoint, 2: the page
  action   VARCHAR(64)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  target   VARCHAR(500)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  changed  BIGINT        NULL,  -- how much; NULL: nobody knows
  outcome  TINYINT       NOT NULL DEFAULT 0,  -- 0: begun, 1: done, 2: failed
  problem  VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What happened to the jobs of a queue and a type within a minute, ten minutes or an hour, of all nodes. delay_0 to delay_13:
-- how many attempts started at most 3 ms, 10 ms, 30 ms, 100 ms, 300 ms, 1 s, 3 s, 10 s, 30 s, 100 s, 300 s, 1000 s, 1 h and
-- longer after their jobs were available; ran_0 to ran_13: how many handlers ran so long.
CREATE TABLE IF NOT EXISTS jobqueue_history (
  step      TINYINT NOT NULL,  -- how many minutes the row is of: 1, 10 or 60; 0: a lock
  at_minute INT     NOT NULL,  -- the first of them, in minutes since 1970 in UTC
  queue     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,  -- *: of those that are not told apart
  type      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,  -- *: the same; empty: how much there was to do in the queue, or in all if that is empty too
  enqueued  INT     NOT NULL,
  started   INT     NOT NULL,
  succeeded INT     NOT NULL,
  failed    INT     NOT NULL,
  dead      INT     NOT NULL,
  delay_0   INT     NOT NULL,
  delay_1   INT     NOT NULL,
  delay_2   INT     NOT NULL,
  delay_3   INT     NOT NULL,
  delay_4   INT     NOT NULL,
  delay_5   INT     NOT NULL,
  delay_6   INT     NOT NULL,
  delay_7   INT     NOT NULL,
  delay_8   INT     NOT NULL,
  delay_9   INT     NOT NULL,
  delay_10  INT     NOT NULL,
  delay_11  INT     NOT NULL,
  delay_12  INT     NOT NULL,
  delay_13  INT     NOT NULL,
  ran_0     INT     NOT NULL,
  ran_1     INT     NOT NULL,
  ran_2     INT     NOT NULL,
  ran_3     INT     NOT NULL,
  ran_4     INT     NOT NULL,
  ran_5     INT     NOT NULL,
  ran_6     INT     NOT NULL,
  ran_7     INT     NOT NULL,
  ran_8     INT     NOT NULL,
  ran_9     INT     NOT NULL,
  ran_10    INT     NOT NULL,
  ran_11    INT     NOT NULL,
  ran_12    INT     NOT NULL,
  ran_13    INT     NOT NULL,
  ready     INT     NOT NULL,  -- how many jobs of the queue were ready at most
  oldest_s  INT     NOT NULL,  -- how many seconds the oldest of them had waited at most
  PRIMARY KEY (step, at_minute, queue, type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- How long each application on this schema wants archived jobs to be kept. The longest time holds.
CREATE TABLE IF NOT EXISTS jobqueue_retention (
  application  VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  state        TINYINT      NOT NULL,
  keep_seconds BIGINT       NOT NULL,
  keep_rows    BIGINT       NOT NULL,  -- how many jobs of the state are kept at most; 0: any number
  elsewhere_until DATETIME(6) NOT NULL,  -- until when they are stored elsewhere before they are deleted
  seen_at      DATETIME(6)  NOT NULL,
  PRIMARY KEY (application, state)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What nodes agree on about suspects: which worker session runs empty for them, and which of them ran last while no other
-- was to run on any node. One row.
CREATE TABLE IF NOT EXISTS jobqueue_quarantine (
  id             TINYINT     NOT NULL,
  session_id     BIGINT      NOT NULL DEFAULT 0,  -- 0: none
  solo_job_id    BIGINT      NOT NULL DEFAULT 0,
  reserved_until DATETIME(6) NOT NULL DEFAULT '1970-01-01 00:00:00',
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

INSERT INTO jobqueue_quarantine (id) SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM jobqueue_quarantine);
