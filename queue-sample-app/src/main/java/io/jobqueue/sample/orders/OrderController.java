package io.jobqueue.sample.orders;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.JobQueue;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * Takes single orders and shows them with their jobs.
 */
@RestController
class OrderController {

	private final OrderPlacement placement;

	private final OrderRepository orders;

	private final JobQueue jobQueue;

	OrderController(OrderPlacement placement, OrderRepository orders, JobQueue jobQueue) {
		this.placement = placement;
		this.orders = orders;
		this.jobQueue = jobQueue;
	}

	/**
	 * Places an order: 201, or 200 if its reference is known already, so that a client
	 * may safely repeat itself.
	 */
	@PostMapping("/orders")
	ResponseEntity<OrderView> place(@RequestBody Order order) {
		boolean isNew = place(List.of(order));
		OrderView view = view(this.orders.findByReference(order.reference()).orElseThrow());
		return isNew ? ResponseEntity.created(self(view.id())).body(view) : ResponseEntity.ok(view);
	}

	private boolean place(List<Order> order) {
		try {
			return this.placement.place(order, null) == 1;
		}
		catch (DuplicateKeyException ex) {
			return false;
		}
	}

	/**
	 * Shows an order and how far its jobs are.
	 */
	@GetMapping("/orders/{id}")
	OrderView show(@PathVariable long id) {
		return this.orders.find(id)
			.map(this::view)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No order " + id));
	}

	@ExceptionHandler
	ProblemDetail notAnOrder(HttpMessageNotReadableException ex) {
		String reason = (ex.getMostSpecificCause() instanceof IllegalArgumentException rule) ? rule.getMessage()
				: "an order is JSON such as {\"customer\":\"Ada\",\"email\":\"ada@example.com\",\"amount\":12.50}";
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, reason);
	}

	private OrderView view(PlacedOrder placed) {
		Map<String, JobView> jobs = new LinkedHashMap<>();
		Map<String, URI> links = new LinkedHashMap<>();
		links.put("self", self(placed.id()));
		placed.jobs().forEach((type, id) -> {
			this.jobQueue.find(id).map(JobView::of).ifPresent((job) -> jobs.put(type, job));
			links.put(type, link("/actuator/jobqueue/" + id));
		});
		return new OrderView(placed.id(), placed.order(), placed.ledgerEntries(), placed.reviewAsked(), jobs, links);
	}

	private static URI self(long id) {
		return link("/orders/" + id);
	}

	private static URI link(String path) {
		return ServletUriComponentsBuilder.fromCurrentContextPath().path(path).build().toUri();
	}

	/**
	 * An order with its jobs.
	 */
	record OrderView(long id, Order order, int ledgerEntries, boolean reviewAsked, Map<String, JobView> jobs,
			Map<String, URI> links) {

	}

	/**
	 * What there is to know of a job: {@code send-receipt} SUCCEEDED is a receipt that
	 * was sent.
	 */
	record JobView(long id, String state, int attempt, @Nullable String lastError) {

		static JobView of(Job job) {
			return new JobView(job.id(), job.state().name(), job.attempt(),
					job.lastError().map(JobError::message).orElse(null));
		}

	}

}
