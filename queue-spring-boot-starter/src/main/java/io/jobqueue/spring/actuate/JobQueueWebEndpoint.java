package io.jobqueue.spring.actuate;

import java.util.Map;
import java.util.function.Supplier;

import io.jobqueue.UnknownOutcomeException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * The endpoint over HTTP: what is refused is answered with its reason, which Spring Boot
 * would leave out.
 */
@EndpointWebExtension(endpoint = JobQueueEndpoint.class)
public final class JobQueueWebEndpoint {

	private final JobQueueEndpoint endpoint;

	/**
	 * Creates the extension.
	 * @param endpoint what it extends
	 */
	public JobQueueWebEndpoint(JobQueueEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Shows everything at a glance.
	 * @param page which page of the queues, from 0; null for the first
	 * @param queue the one queue to show; null for all
	 * @return the overview; with the status 503 if the database cannot be asked
	 */
	@ReadOperation
	public WebEndpointResponse<Object> overview(@Nullable String page, @Nullable String queue) {
		WebEndpointResponse<Object> answer = answered(() -> this.endpoint.overview(page, queue));
		boolean away = answer.getBody() instanceof JobQueueEndpoint.Overview overview && overview.problem() != null;
		return away ? new WebEndpointResponse<>(answer.getBody(), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE)
				: answer;
	}

	/**
	 * Shows one job, without its payload; or the recurring jobs, the limits, the order
	 * keys that are blocked, or the audit.
	 * @param id its id, or {@code schedules}, {@code limits}, {@code blocked-keys} or
	 * {@code audit}
	 * @param page which page of the schedules, from 0; null for the first
	 * @return the job, or not found; or the list
	 */
	@ReadOperation
	public WebEndpointResponse<Object> look(@Selector String id, @Nullable String page) {
		return answered(() -> this.endpoint.look(id, page));
	}

	/**
	 * Does something, as {@link JobQueueEndpoint#act}.
	 * @param action what
	 * @param id a job's id, or null
	 * @param queue a queue's name, or null
	 * @param type a job type, or null
	 * @param key a unique key or an order key, or null
	 * @param at a time, or null
	 * @param all true for all jobs of a queue or type, or null
	 * @param schedule a schedule's name, or null
	 * @param limit a limit's name, or null
	 * @param running a number, or null
	 * @param starts a number, or null
	 * @param per a time, or null
	 * @param burst a number, or null
	 * @return how much was changed
	 */
	@WriteOperation
	public WebEndpointResponse<Object> act(@Selector String action, @Nullable String id, @Nullable String queue,
			@Nullable String type, @Nullable String key, @Nullable String at, @Nullable String all,
			@Nullable String schedule, @Nullable String limit, @Nullable String running, @Nullable String starts,
			@Nullable String per, @Nullable String burst) {
		return answered(() -> this.endpoint.act(action, id, queue, type, key, at, all, schedule, limit, running, starts,
				per, burst));
	}

	private static WebEndpointResponse<Object> answered(Supplier<@Nullable Object> operation) {
		try {
			Object answer = operation.get();
			return (answer != null) ? new WebEndpointResponse<>(answer)
					: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		catch (InvalidEndpointRequestException ex) {
			return new WebEndpointResponse<>(Map.of("error", String.valueOf(ex.getReason())),
					WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (DataAccessException | TransactionException | UnknownOutcomeException ex) {
			return new WebEndpointResponse<>(
					Map.of("error", "The database cannot be asked now. If something was to be changed, look whether it "
							+ "was: " + ex.getMessage()),
					WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

}
