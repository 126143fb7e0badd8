package io.jobqueue.sample.orders;

import java.util.List;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Places orders: the orders and their jobs are stored in one transaction, so that there
 * is never one without the other.
 */
@Service
class OrderPlacement {

	private final OrderRepository orders;

	private final OrderJobs orderJobs;

	private final JobQueue jobQueue;

	OrderPlacement(OrderRepository orders, OrderJobs orderJobs, JobQueue jobQueue) {
		this.orders = orders;
		this.orderJobs = orderJobs;
		this.jobQueue = jobQueue;
	}

	/**
	 * Places those orders that are not known yet.
	 * @param orders the orders
	 * @param importId the import that they came with, or null
	 * @return how many were placed
	 * @throws org.springframework.dao.DuplicateKeyException if somebody else placed one
	 * of them at the same moment; then none is placed
	 */
	@Transactional
	public int place(List<Order> orders, @Nullable Long importId) {
		List<Order> placed = this.orders.unknown(orders);
		List<NewJob> jobs = placed.stream().flatMap((order) -> this.orderJobs.of(order).stream()).toList();
		// Jobs first, since the order's row holds their ids. They run once all is
		// committed.
		List<Long> jobIds = this.jobQueue.enqueueAll(jobs);
		this.orders.insert(placed, jobIds, importId);
		return placed.size();
	}

}
