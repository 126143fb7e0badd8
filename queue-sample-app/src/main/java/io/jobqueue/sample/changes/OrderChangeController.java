package io.jobqueue.sample.changes;

import java.util.List;

import io.jobqueue.sample.changes.OrderChanges.MailedChange;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Takes changes of orders, and shows them with their mails.
 */
@RestController
class OrderChangeController {

	private final OrderChanges changes;

	OrderChangeController(OrderChanges changes) {
		this.changes = changes;
	}

	@PostMapping("/orders/{id}/changes")
	@ResponseStatus(HttpStatus.CREATED)
	OrderChange change(@PathVariable long id, @RequestBody Change change) {
		return this.changes.change(id, change.text())
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No order " + id));
	}

	@GetMapping("/orders/{id}/changes")
	List<MailedChange> show(@PathVariable long id) {
		return this.changes.of(id);
	}

	@ExceptionHandler
	ProblemDetail notAChange(IllegalArgumentException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
	}

	/**
	 * A change as it comes in.
	 */
	record Change(String text) {

	}

}
