package io.jobqueue.sample.cards;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Repairs the payment gateway, or breaks it again.
 */
@RestController
class GatewayController {

	private final PaymentGateway gateway;

	GatewayController(PaymentGateway gateway) {
		this.gateway = gateway;
	}

	@GetMapping("/gateway")
	Gateway show() {
		return new Gateway(this.gateway.isRepaired());
	}

	@PostMapping("/gateway/repair")
	Gateway repair() {
		this.gateway.repair();
		return show();
	}

	@PostMapping("/gateway/break")
	Gateway breakAgain() {
		this.gateway.breakAgain();
		return show();
	}

	/**
	 * The gateway.
	 *
	 * @param repaired whether the orders that it always failed for go through
	 */
	record Gateway(boolean repaired) {

	}

}
