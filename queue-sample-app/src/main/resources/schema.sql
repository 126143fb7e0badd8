-- The shop's own tables, for H2 and MySQL alike.

CREATE TABLE IF NOT EXISTS shop_import (
  id         BIGINT       AUTO_INCREMENT PRIMARY KEY,
  started_at TIMESTAMP(6) NOT NULL
);

-- An order is known by its reference, so that the same one is never stored twice. It remembers the ids of its jobs.
CREATE TABLE IF NOT EXISTS shop_order (
  id           BIGINT         AUTO_INCREMENT PRIMARY KEY,
  reference    VARCHAR(64)    NOT NULL,
  customer     VARCHAR(100)   NOT NULL,
  email        VARCHAR(200)   NOT NULL,
  amount       DECIMAL(12, 2) NOT NULL,
  review_asked BOOLEAN        NOT NULL DEFAULT FALSE,
  import_id    BIGINT,
  receipt_job  BIGINT         NOT NULL,
  ledger_job   BIGINT         NOT NULL,
  charge_job   BIGINT         NOT NULL,
  review_job   BIGINT         NOT NULL,
  CONSTRAINT shop_order_reference UNIQUE (reference),
  CONSTRAINT shop_order_import FOREIGN KEY (import_id) REFERENCES shop_import (id)
);

-- On purpose nothing here keeps an order from being posted twice: if it ever were, it would show.
CREATE TABLE IF NOT EXISTS shop_ledger (
  id              BIGINT         AUTO_INCREMENT PRIMARY KEY,
  order_reference VARCHAR(64)    NOT NULL,
  amount          DECIMAL(12, 2) NOT NULL,
  job_id          BIGINT         NOT NULL,
  posted_day      DATE           NOT NULL,
  CONSTRAINT shop_ledger_order FOREIGN KEY (order_reference) REFERENCES shop_order (reference)
);

-- Changes of orders, which their customers are told of.
CREATE TABLE IF NOT EXISTS shop_order_change (
  order_id  BIGINT       NOT NULL,
  number    BIGINT       NOT NULL,
  text      VARCHAR(200) NOT NULL,
  mailed_at TIMESTAMP(6) NULL,
  PRIMARY KEY (order_id, number),
  CONSTRAINT shop_order_change_order FOREIGN KEY (order_id) REFERENCES shop_order (id)
);

-- What customers have looked at.
CREATE TABLE IF NOT EXISTS shop_article_view (
  id      BIGINT AUTO_INCREMENT PRIMARY KEY,
  article INT    NOT NULL
);

-- The sales of each day.
CREATE TABLE IF NOT EXISTS shop_sales_report (
  report_day DATE           PRIMARY KEY,
  orders     BIGINT         NOT NULL,
  amount     DECIMAL(14, 2) NOT NULL,
  made_for   TIMESTAMP(6)   NOT NULL
);

-- A setting is on while its row is there, for every process of the shop.
CREATE TABLE IF NOT EXISTS shop_setting (
  name VARCHAR(64) PRIMARY KEY
);
