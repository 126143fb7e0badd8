-- Where JdbcArchiveSink stores archived jobs, for PostgreSQL, H2 and others. Times are UTC.
CREATE TABLE IF NOT EXISTS jobqueue_archived_job (
  id           BIGINT       NOT NULL,
  fence        BIGINT       NOT NULL,
  enqueued_at  TIMESTAMP(6) NOT NULL,
  type         VARCHAR(64)  NOT NULL,
  queue        VARCHAR(64)  NOT NULL,
  state        VARCHAR(16)  NOT NULL,
  priority     INT          NOT NULL,
  attempt      INT          NOT NULL,
  max_attempts INT          NOT NULL,
  crashes      INT          NOT NULL,
  available_at TIMESTAMP(6) NOT NULL,
  claimed_at   TIMESTAMP(6) NULL,
  finished_at  TIMESTAMP(6) NULL,
  scheduled_for TIMESTAMP(6) NULL,
  order_key    VARCHAR(191) NULL,
  limit_key    VARCHAR(191) NULL,
  trace        VARCHAR(1000) NULL,
  payload      TEXT         NULL,
  errors       TEXT         NOT NULL,  -- JSON: attempt, failedAt, type, message, stackTrace of each
  PRIMARY KEY (id, fence, enqueued_at)
);
CREATE INDEX IF NOT EXISTS jobqueue_archived_job_finished ON jobqueue_archived_job (finished_at);
