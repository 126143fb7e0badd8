package io.jobqueue.neighbour.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application whose slices are tested. */
@SpringBootApplication
class Application {

}
