"""Two handlers: one that sends something, and one that writes to the database, exactly once."""
import argparse
import logging

from jobqueue_worker import PermanentError, Worker

arguments = argparse.ArgumentParser()
for name, default in (("host", "127.0.0.1"), ("port", 3306), ("user", "root"), ("password", ""), ("database", "app")):
    arguments.add_argument("--" + name, type=type(default), default=default)
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
worker = Worker("python-receipts", vars(arguments.parse_args()))


@worker.handler("send-receipt")
def send(order, job):
    if "orderId" not in order:
        raise PermanentError("A receipt needs an orderId")
    print(f"Receipt for order {order['orderId']}, attempt {job.attempt}", flush=True)


@worker.handler("book-order", transactional=True)
def book(order, job):
    job.cursor.execute("INSERT INTO booking (order_id) VALUES (%s)", [order["orderId"]])


worker.run()
