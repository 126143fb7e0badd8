package io.jobqueue.neighbour.slice;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What enqueues. */
@RestController
class Orders {

	private final JobQueue jobs;

	Orders(JobQueue jobs) {
		this.jobs = jobs;
	}

	@PostMapping("/orders")
	long place(@RequestParam long id) {
		return this.jobs.enqueue(NewJob.of("count", id));
	}

}
