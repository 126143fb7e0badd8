package io.jobqueue.sample.payouts;

import io.jobqueue.sample.payouts.PaymentPartner.Calls;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes requests for payouts, and shows what the partner has seen of them.
 */
@RestController
class PayoutController {

	private final Payouts payouts;

	private final PaymentPartner partner;

	PayoutController(Payouts payouts, PaymentPartner partner) {
		this.payouts = payouts;
		this.partner = partner;
	}

	@PostMapping("/payouts")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Request request(@RequestBody Request request) {
		this.payouts.request(request.count());
		return request;
	}

	@GetMapping("/payouts")
	Calls show() {
		return this.partner.calls();
	}

	@ExceptionHandler
	ProblemDetail notARequest(IllegalArgumentException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
	}

	/**
	 * How many payouts are wanted.
	 */
	record Request(int count) {

		private static final int MOST = 100_000;

		Request {
			if (count < 1 || count > MOST) {
				throw new IllegalArgumentException("count must be from 1 to " + MOST + ", but is " + count);
			}
		}

	}

}
