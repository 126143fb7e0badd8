package io.jobqueue.spring.actuate;

import java.util.List;
import java.util.Set;

import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.Limits;
import io.jobqueue.spring.actuate.JobQueueEndpoint.Result;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.convert.DurationStyle;

/**
 * What operators see of limits, and do with them, through the endpoint.
 */
final class LimitActions {

	/** What stands in the path in place of a job's id. */
	static final String PATH = "limits";

	private static final String CHANGE = "limit";

	private static final int MOST_TRIES = 5;

	private final Limits limits;

	LimitActions(Limits limits) {
		this.limits = limits;
	}

	LimitList list() {
		return new LimitList(this.limits.list().stream().map(LimitView::of).toList());
	}

	/**
	 * Changes a limit that is there. What is not said stays as it is.
	 * @param action must be {@code limit}
	 * @param name the limit
	 * @param change what is to be changed
	 * @param others what else was given, which must be nothing
	 * @return how much was changed
	 * @throws InvalidEndpointRequestException if it cannot be done, with the reason
	 */
	Result act(String action, String name, Change change, Set<String> others) {
		if (!action.equals(CHANGE) || !others.isEmpty() || change.isEmpty()) {
			throw refused("The action 'limit' needs the limit and what is to be changed in its JSON body, as in "
					+ "{\"limit\": \"partner-api\", \"running\": 5}, or starts, per and burst, and nothing else");
		}
		try {
			Limit before = current(name);
			Limit after = change.of(before);
			for (int tries = 1; !this.limits.change(before, after); tries++) {
				// Somebody else has changed it since, or reads come from a server that
				// lags behind.
				if (tries == MOST_TRIES) {
					throw refused("The limit '" + name + "' is being changed by others. Try again");
				}
				before = current(name);
				after = change.of(before);
			}
			return new Result(CHANGE, after.equals(before) ? 0 : 1, null);
		}
		catch (IllegalArgumentException ex) {
			throw refused(String.valueOf(ex.getMessage()));
		}
	}

	private Limit current(String name) {
		return this.limits.find(name)
			.map(LimitStatus::limit)
			.orElseThrow(() -> refused("There is no limit '" + name + "'"));
	}

	private static InvalidEndpointRequestException refused(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

	/**
	 * What is to be changed of a limit.
	 *
	 * @param running how many may run at once; 0 for any number
	 * @param starts how many may start within {@code per}; 0 for any number
	 * @param per the time, as {@code 1s}
	 * @param burst how many may start at one moment; without it, a tenth of new
	 * {@code starts}
	 */
	record Change(@Nullable String running, @Nullable String starts, @Nullable String per, @Nullable String burst) {

		boolean isEmpty() {
			return this.running == null && this.starts == null && this.per == null && this.burst == null;
		}

		Limit of(Limit before) {
			Limit limit = (this.running != null) ? before.running(number("running", this.running)) : before;
			if (this.starts != null || this.per != null) {
				int most = (this.starts != null) ? number("starts", this.starts) : limit.starts();
				limit = limit.starts(most, (this.per != null) ? DurationStyle.detectAndParse(this.per) : limit.per());
			}
			return (this.burst != null) ? limit.burst(number("burst", this.burst)) : limit;
		}

		private static int number(String name, String text) {
			try {
				return Integer.parseInt(text);
			}
			catch (NumberFormatException ex) {
				throw new IllegalArgumentException("'" + name + "' must be a number, but is '" + text + "'");
			}
		}

	}

	/**
	 * All limits.
	 *
	 * @param limits the limits, sorted by name
	 */
	record LimitList(List<LimitView> limits) {

	}

	/**
	 * One limit.
	 *
	 * @param name its name
	 * @param running how many may run at once; 0 for any number
	 * @param starts how many may start within the time {@code per}; 0 for any number
	 * @param per the time
	 * @param burst how many of them may start at one moment
	 * @param changed whether it was changed since it was stored as nodes are configured
	 * @param types the types whose jobs it holds for
	 * @param runningNow how many of those run
	 * @param ready how many are ready; counted up to 10,000
	 * @param waiting how many wait because their limit key is full; counted up to 10,000
	 */
	record LimitView(String name, int running, int starts, String per, int burst, boolean changed, List<String> types,
			long runningNow, long ready, long waiting) {

		static LimitView of(LimitStatus status) {
			Limit limit = status.limit();
			return new LimitView(limit.name(), limit.running(), limit.starts(), DurationStyle.SIMPLE.print(limit.per()),
					limit.burst(), status.changed(), status.types(), status.running(), status.ready(),
					status.waiting());
		}

	}

}
