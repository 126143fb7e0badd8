package io.jobqueue.spring.archive;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.ArchivedJob;
import io.jobqueue.Job;
import io.jobqueue.JobError;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Archived jobs as JSON. Independent of the application's Jackson settings, since others
 * read it. Times are in ISO 8601, UTC.
 */
final class ArchivedJobJson {

	private static final JsonMapper MAPPER = new JsonMapper();

	private ArchivedJobJson() {
	}

	static byte[] bytes(ArchivedJob archived) {
		Job job = archived.job();
		Map<String, @Nullable Object> values = new LinkedHashMap<>();
		values.put("id", job.id());
		values.put("fence", archived.fence());
		values.put("enqueuedAt", job.enqueuedAt().toString());
		values.put("type", job.type());
		values.put("queue", job.queue());
		values.put("state", job.state().name());
		values.put("priority", job.priority());
		values.put("attempt", job.attempt());
		values.put("maxAttempts", job.maxAttempts());
		values.put("crashes", job.crashes());
		values.put("availableAt", job.availableAt().toString());
		values.put("claimedAt", (job.claimedAt() != null) ? job.claimedAt().toString() : null);
		values.put("finishedAt", (job.finishedAt() != null) ? job.finishedAt().toString() : null);
		values.put("scheduledFor", (job.scheduledFor() != null) ? job.scheduledFor().toString() : null);
		values.put("orderKey", job.orderKey());
		values.put("limitKey", job.limitKey());
		values.put("trace", job.trace());
		values.put("payload", job.payload());
		values.put("errors", errors(archived));
		return MAPPER.writeValueAsBytes(values);
	}

	static String errorsOf(ArchivedJob archived) {
		return MAPPER.writeValueAsString(errors(archived));
	}

	private static List<Map<String, Object>> errors(ArchivedJob archived) {
		return archived.errors().stream().map(ArchivedJobJson::error).toList();
	}

	private static Map<String, Object> error(JobError error) {
		Map<String, Object> values = new LinkedHashMap<>();
		values.put("attempt", error.attempt());
		values.put("failedAt", error.failedAt().toString());
		values.put("type", error.type());
		values.put("message", error.message());
		values.put("stackTrace", error.stackTrace());
		return values;
	}

}
