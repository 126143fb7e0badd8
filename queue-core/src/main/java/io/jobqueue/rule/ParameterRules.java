package io.jobqueue.rule;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobContext;

import org.springframework.util.StringUtils;

/**
 * Which parameters a handler may have.
 */
public final class ParameterRules {

	private static final Map<String, Parameter> KINDS = Map.of(JobContext.class.getName(), Parameter.CONTEXT,
			Job.class.getName(), Parameter.DEAD_JOB, Optional.class.getName(), Parameter.OPTIONAL_PAYLOAD,
			"kotlin.coroutines.Continuation", Parameter.CONTINUATION);

	/** What a web framework's handlers are given. */
	private static final List<String> PACKAGES_WITHOUT_PAYLOADS = List.of("jakarta.servlet.", "javax.servlet.",
			"org.springframework.web.", "org.springframework.http.server.", "org.springframework.http.client.");

	private static final Set<String> NO_PAYLOADS = Set.of("java.security.Principal", "java.sql.Connection",
			"javax.sql.DataSource", "jakarta.persistence.EntityManager",
			"org.springframework.transaction.TransactionStatus", "org.springframework.http.HttpEntity",
			"org.springframework.http.RequestEntity");

	private ParameterRules() {
	}

	/**
	 * Checks the parameters of a handler that runs one job in each call.
	 * @param parameters what they are, in their order
	 * @param ofDeadJobs whether it is called for dead jobs
	 * @throws IllegalArgumentException if they are too many, or one cannot be there
	 */
	public static void check(List<Parameter> parameters, boolean ofDeadJobs) {
		if (!ofDeadJobs && parameters.contains(Parameter.DEAD_JOB)) {
			throw new IllegalArgumentException("it has a parameter of type Job, which only the method of a "
					+ "@DeadJobHandler can have; a JobContext tells which job a handler runs");
		}
		if (parameters.contains(Parameter.CONTINUATION)) {
			throw new IllegalArgumentException("it is a suspend function, which would return before its work is done; "
					+ "call what suspends inside runBlocking, in a function that is none");
		}
		Set<Parameter> kinds = EnumSet.noneOf(Parameter.class);
		for (Parameter parameter : parameters) {
			if (!kinds.add(parameter.isPayload() ? Parameter.PAYLOAD : parameter)) {
				throw new IllegalArgumentException("it has too many parameters; give it at most one for the payload"
						+ (ofDeadJobs ? ", one of type Job" : "")
						+ " and one of type JobContext. Other things are injected into the bean");
			}
		}
	}

	/**
	 * A type variable of which nothing is known would be read as a map, and the handler
	 * would fail where it uses it.
	 * @param written the payload's type, as the method says it
	 * @return the refusal
	 */
	public static IllegalArgumentException unknownPayload(String written) {
		return new IllegalArgumentException("its payload has the type " + written
				+ ", and its bean's class does not say which type that is; let a subclass say so, as in "
				+ "class MailJobs extends Jobs<Mail>, or name the type in the method");
	}

	/**
	 * Neither a request nor a connection is there when a job runs.
	 * @param className the class that is to be read from a payload
	 * @throws RefusedException if no payload can be of it
	 */
	public static void refuseIfOfAnotherWorld(String className) {
		if (NO_PAYLOADS.contains(className) || PACKAGES_WITHOUT_PAYLOADS.stream().anyMatch(className::startsWith)) {
			throw new RefusedException("has a parameter of type " + className + ", which no payload can be",
					"Put what the handler needs into the payload; no request and no connection is there when it runs.");
		}
	}

	/**
	 * A schedule's jobs have no payload.
	 * @param parameters what the parameters of a recurring handler are
	 * @throws IllegalArgumentException if one needs a payload
	 */
	public static void refusePayloadIfRecurring(List<Parameter> parameters) {
		if (parameters.contains(Parameter.PAYLOAD)) {
			throw new IllegalArgumentException("it is @Recurring, so its jobs have no payload, but it has a parameter "
					+ "for one; leave that out, make it an Optional, or save the schedule with its payload through "
					+ "the Schedules bean");
		}
	}

	/**
	 * Checks the parameters of a batch handler.
	 * @param isOne whether there is one, which is a {@code List} or a {@code JobBatch}
	 * @throws IllegalArgumentException if not
	 */
	public static void refuseUnlessChunk(boolean isOne) {
		if (!isOne) {
			throw new IllegalArgumentException("its batchSize is more than 1, so its only parameter must be a List of "
					+ "payloads or a JobBatch, as in List<Document>; a JobBatch tells which jobs they are");
		}
	}

	/**
	 * What the payloads of a chunk are read as has to be known.
	 * @param raw the class of the parameter, without its package
	 * @return the refusal
	 */
	public static IllegalArgumentException unknownItems(String raw) {
		return new IllegalArgumentException(
				"it does not say what payloads are in its " + raw + ", as in List<Document>");
	}

	/**
	 * Refuses what only a batch handler may have.
	 * @param takesBatch whether a parameter is a {@code JobBatch}
	 * @param settings what the annotation says
	 * @throws IllegalArgumentException if a handler of one job has it
	 */
	public static void refuseForSingle(boolean takesBatch, HandlerSettings settings) {
		if (takesBatch) {
			throw new IllegalArgumentException("it has a parameter of type JobBatch, but its batchSize is 1");
		}
		if (StringUtils.hasText(settings.batchWait()) && !settings.batchWait().equals("0")) {
			throw new IllegalArgumentException("it has a batchWait, but its batchSize is 1");
		}
	}

	/**
	 * What a parameter is filled with.
	 */
	public enum Parameter {

		/** The job that runs. */
		CONTEXT,

		/** The dead job that a handler is called for. */
		DEAD_JOB,

		/** The payload, which may be missing. */
		OPTIONAL_PAYLOAD,

		/** The payload. */
		PAYLOAD,

		/** What goes on after a function of Kotlin that has suspended. */
		CONTINUATION;

		/**
		 * What a parameter of a class is filled with.
		 * @param className the class
		 * @return the kind
		 */
		public static Parameter of(String className) {
			return KINDS.getOrDefault(className, PAYLOAD);
		}

		boolean isPayload() {
			return this == PAYLOAD || this == OPTIONAL_PAYLOAD;
		}

	}

}
