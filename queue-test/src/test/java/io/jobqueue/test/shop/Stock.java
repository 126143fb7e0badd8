package io.jobqueue.test.shop;

import org.springframework.stereotype.Service;

/** A component without handlers. */
@Service
class Stock {

}
