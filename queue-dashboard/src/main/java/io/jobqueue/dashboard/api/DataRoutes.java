package io.jobqueue.dashboard.api;

import java.io.IOException;
import java.security.Principal;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.jobqueue.AuditEntry;
import io.jobqueue.store.Audit;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The paths of the data, below {@code /api/v1}.
 */
public final class DataRoutes {

	/** Escapes may make a payload several times as long. */
	private static final int LONGEST = 16 * 1024 * 1024;

	private static final Set<String> FILTERS = Set.of("state", "queue", "type", "orderKey", "limitKey", "cause", "from",
			"until", "after");

	private final Shown shown;

	private final ActionsApi actions;

	private final Audit audit;

	private final Answers answers;

	private final JsonMapper json;

	/**
	 * Creates the routes.
	 * @param shown what is read
	 * @param actions what operators do
	 * @param audit where that is written
	 * @param time the database's clock
	 * @param json reads what they send
	 */
	public DataRoutes(Shown shown, ActionsApi actions, Audit audit, DatabaseTime time, JsonMapper json) {
		this.shown = shown;
		this.actions = actions;
		this.audit = audit;
		this.answers = new Answers(time);
		this.json = json;
	}

	/**
	 * Adds what is read.
	 * @param to where they are added
	 * @param session tells who asks, and what they may do
	 * @param maySeePayloads whether a request may see payloads
	 */
	public void addReads(RouterFunctions.Builder to, Function<HttpServletRequest, Object> session,
			Predicate<HttpServletRequest> maySeePayloads) {
		to.GET("/session",
				(request) -> this.answers.withoutTime(HttpStatus.OK, session.apply(request.servletRequest())));
		to.GET("/overview", (request) -> {
			OverviewApi.Overview overview = this.shown.overview().overview();
			return (overview.away() == null) ? this.answers.of(overview)
					: this.answers.withoutTime(HttpStatus.SERVICE_UNAVAILABLE, overview);
		});
		to.GET("/queues",
				(request) -> this.answers.aged(this.shown.overview().queues(text(request, "name"), page(request))));
		to.GET("/history", (request) -> this.answers
			.aged(this.shown.history().history(text(request, "range"), text(request, "queue"), text(request, "type"))));
		to.GET("/workers", (request) -> this.answers.aged(this.shown.overview().workers()));
		to.GET("/jobs", (request) -> this.answers
			.inTurn(() -> this.shown.jobs().list(filters(request), text(request, "after"))));
		to.GET("/jobs/count", (request) -> this.answers.inTurn(() -> this.shown.jobs().count(filters(request))));
		to.GET("/jobs/by-key",
				(request) -> this.answers.inTurn(() -> this.shown.jobs()
					.findByKey(required(request, "type"), required(request, "key"),
							maySeePayloads.test(request.servletRequest())),
						this.shown.jobs()::detail));
		to.GET("/jobs/{id}",
				(request) -> this.answers.inTurn(() -> this.shown.jobs()
					.find(JobFilters.number("A job's id", request.pathVariable("id")),
							maySeePayloads.test(request.servletRequest())),
						this.shown.jobs()::detail));
		to.GET("/causes", (request) -> this.answers.aged(this.shown.jobs().causes()));
		to.GET("/schedules",
				(request) -> this.answers.aged(this.shown.rules().schedules(text(request, "name"), page(request))));
		to.GET("/schedules/ticks", (request) -> this.answers.of(this.shown.rules().ticks(required(request, "name"))));
		to.GET("/limits", (request) -> this.answers.aged(this.shown.rules().limits()));
		to.GET("/blocked-keys", (request) -> this.answers.inTurn(this.shown.rules()::blockedKeys));
		to.GET("/operations", (request) -> this.answers.of(this.shown.operations().operations()));
		to.GET("/operations/{id}", (request) -> this.answers.inTurn(() -> this.shown.operations()
			.operation(JobFilters.number("An operation's id", request.pathVariable("id")))));
		to.GET("/audit", (request) -> {
			String before = text(request, "before");
			return this.answers.inTurn(() -> this.shown.operations()
				.audit((before != null) ? JobFilters.number("'before'", before) : null));
		});
	}

	/**
	 * Adds what is done.
	 * @param to where they are added
	 * @param maySeePayloads whether a request may see payloads
	 */
	public void addWrites(RouterFunctions.Builder to, Predicate<HttpServletRequest> maySeePayloads) {
		to.POST("/queues/pause", acting(ActionsApi.QueueName.class, this.actions::pause));
		to.POST("/queues/resume", acting(ActionsApi.QueueName.class, this.actions::resume));
		to.POST("/jobs/redrive", acting(ActionsApi.JobId.class, this.actions::redrive));
		to.POST("/jobs/cancel", acting(ActionsApi.SeenJob.class, this.actions::cancel));
		to.POST("/jobs/reschedule", acting(ActionsApi.JobTime.class, this.actions::reschedule));
		to.POST("/jobs/edit", (request) -> {
			ActionsApi.JobPayload payload = read(request, ActionsApi.JobPayload.class);
			boolean sees = maySeePayloads.test(request.servletRequest());
			return this.answers.of(onPage(request, () -> this.actions.edit(payload, sees)));
		});
		to.POST("/operations/redrive", acting(JobFilters.class, this.actions::redriveAll));
		to.POST("/operations/cancel", acting(JobFilters.class, this.actions::cancelAll));
		to.POST("/operations/stop", acting(ActionsApi.JobId.class, this.actions::stop));
		to.POST("/schedules/pause", acting(ActionsApi.ScheduleName.class, this.actions::pauseSchedule));
		to.POST("/schedules/resume", acting(ActionsApi.ScheduleName.class, this.actions::resumeSchedule));
		to.POST("/schedules/trigger", acting(ActionsApi.ScheduleName.class, this.actions::trigger));
		to.POST("/schedules/remove", acting(ActionsApi.ScheduleName.class, this.actions::removeSchedule));
		to.POST("/limits/change", acting(ActionsApi.LimitChange.class, this.actions::changeLimit));
		to.POST("/blocked-keys/unblock", acting(ActionsApi.OrderKey.class, this.actions::unblock));
	}

	private Object onPage(ServerRequest request, Supplier<Object> action) {
		Principal user = request.servletRequest().getUserPrincipal();
		try {
			return this.audit.from(AuditEntry.Source.PAGE, (user != null) ? user.getName() : "", action);
		}
		finally {
			// Whoever looks next sees it.
			this.shown.expire();
		}
	}

	private <T> HandlerFunction<ServerResponse> acting(Class<T> body, Function<T, Object> action) {
		return (request) -> {
			T read = read(request, body);
			return this.answers.of(onPage(request, () -> action.apply(read)));
		};
	}

	private <T> T read(ServerRequest request, Class<T> type) throws IOException {
		byte[] body = request.servletRequest().getInputStream().readNBytes(LONGEST + 1);
		if (body.length > LONGEST) {
			throw new IllegalArgumentException("The request is longer than " + LONGEST + " bytes");
		}
		try {
			T read = this.json.readValue(body, type);
			if (read == null) {
				throw new IllegalArgumentException("The request must be an object");
			}
			return read;
		}
		catch (UnrecognizedPropertyException ex) {
			throw new IllegalArgumentException("There is no field '" + ex.getPropertyName() + "'; there are "
					+ ex.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList());
		}
		catch (DatabindException ex) {
			String field = ex.getPath()
				.stream()
				.map((part) -> String.valueOf(part.getPropertyName()))
				.collect(Collectors.joining("."));
			throw new IllegalArgumentException("The request cannot be read: " + (field.isEmpty()
					? "it is to be an object" : "the field '" + field + "' is missing, or is of another kind"));
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("The request is no JSON");
		}
	}

	/** A filter that was ignored would show more jobs than were asked for. */
	private static JobFilters filters(ServerRequest request) {
		Set<String> others = new TreeSet<>(request.params().keySet());
		others.removeAll(FILTERS);
		if (!others.isEmpty()) {
			throw new IllegalArgumentException("There is no parameter " + String.join(" and no ", others)
					+ "; there are " + new TreeSet<>(FILTERS));
		}
		return new JobFilters(text(request, "state"), text(request, "queue"), text(request, "type"),
				text(request, "orderKey"), text(request, "limitKey"), text(request, "cause"), text(request, "from"),
				text(request, "until"));
	}

	private static @Nullable String text(ServerRequest request, String name) {
		return request.param(name).filter((value) -> !value.isEmpty()).orElse(null);
	}

	private static String required(ServerRequest request, String name) {
		return request.param(name)
			.orElseThrow(() -> new IllegalArgumentException("The parameter '" + name + "' is missing"));
	}

	private static int page(ServerRequest request) {
		String text = text(request, "page");
		long page = (text != null) ? JobFilters.number("A page", text) : 0;
		if (page < 0 || page > 1_000_000) {
			throw new IllegalArgumentException("A page is from 0 to 1000000");
		}
		return (int) page;
	}

	/**
	 * What is read.
	 *
	 * @param overview everything at a glance
	 * @param history what happened
	 * @param jobs jobs
	 * @param rules schedules, limits and keys
	 * @param operations operations and the audit
	 */
	public record Shown(OverviewApi overview, HistoryApi history, JobsApi jobs, RulesApi rules,
			OperationsApi operations) {

		void expire() {
			this.overview.expire();
			this.jobs.expire();
			this.rules.expire();
		}

	}

}
