package io.jobqueue.sample.views;

import io.jobqueue.sample.views.ArticleViews.Counted;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Has customers look at articles, and shows what was written down of it.
 */
@RestController
class ArticleViewController {

	private final ArticleViews views;

	ArticleViewController(ArticleViews views) {
		this.views = views;
	}

	@PostMapping("/views")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Request look(@RequestBody Request request) {
		this.views.look(request.count());
		return request;
	}

	@GetMapping("/views")
	Counted show() {
		return this.views.counted();
	}

	@ExceptionHandler
	ProblemDetail notARequest(IllegalArgumentException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
	}

	/**
	 * How many times customers are to look.
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
