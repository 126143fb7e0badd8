package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import io.jobqueue.DeadCause;
import io.jobqueue.Job;
import io.jobqueue.JobCount;
import io.jobqueue.JobPage;
import io.jobqueue.JobQueue;
import io.jobqueue.Jobs;
import io.jobqueue.dashboard.PayloadMasker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs, as the page asks for them.
 */
public final class JobsApi {

	private static final Logger log = LoggerFactory.getLogger(JobsApi.class);

	private static final int PAGE = 50;

	private static final Duration CAUSES = Duration.ofSeconds(5);

	private static final int MOST_CAUSES = 200;

	private static final int MOST_ERRORS = 50;

	private final JobQueue queue;

	private final Jobs jobs;

	private final PayloadMasker masker;

	private final Function<Job, List<String>> reasons;

	private final Shared<List<Cause>> causes;

	/**
	 * Creates it.
	 * @param queue finds single jobs
	 * @param jobs lists them
	 * @param masker what payloads pass
	 * @param overview tells why jobs wait
	 */
	public JobsApi(JobQueue queue, Jobs jobs, PayloadMasker masker, OverviewApi overview) {
		this.reasons = overview::reasons;
		this.queue = queue;
		this.jobs = jobs;
		this.masker = masker;
		this.causes = new Shared<>(CAUSES, () -> jobs.deadCauses(MOST_CAUSES).stream().map(Cause::of).toList(),
				System::nanoTime);
	}

	Page list(JobFilters filters, @Nullable String after) {
		JobPage page = this.jobs.list(filters.filter(), after, PAGE);
		return new Page(page.jobs().stream().map(JobSummary::of).toList(), page.next());
	}

	Count count(JobFilters filters) {
		return Count.of(this.jobs.count(filters.filter()));
	}

	/**
	 * Finds a job.
	 * @param showPayload whether its payload may be shown
	 */
	@Nullable Found find(long id, boolean showPayload) {
		return this.queue.find(id).map((job) -> found(job, showPayload)).orElse(null);
	}

	@Nullable Found findByKey(String type, String key, boolean showPayload) {
		return this.queue.findByKey(type, key).map((job) -> found(job, showPayload)).orElse(null);
	}

	private Found found(Job job, boolean showPayload) {
		return new Found(job, this.jobs.errors(job.id(), MOST_ERRORS).stream().map(JobSummary.Problem::of).toList(),
				shown(job, showPayload));
	}

	/**
	 * What is shown of a job. Why it waits is read for all who ask, so nobody else has to
	 * wait for that.
	 */
	Detail detail(Found found) {
		Job job = found.job();
		return new Detail(JobSummary.of(job), this.reasons.apply(job), found.errors(), found.shown().payload(),
				found.shown().how().name().toLowerCase(Locale.ROOT),
				(job.payload() != null) ? job.payload().length() : 0);
	}

	private Shown shown(Job job, boolean showPayload) {
		if (job.payload() == null) {
			return new Shown(null, How.NONE);
		}
		if (!showPayload) {
			return new Shown(null, How.HIDDEN);
		}
		try {
			String masked = this.masker.mask(job);
			return new Shown(masked, job.payload().equals(masked) ? How.WHOLE : How.MASKED);
		}
		catch (Exception | StackOverflowError ex) {
			// Also checked ones, which other languages throw undeclared. Without its
			// message, which may have something of the payload.
			log.warn("The payload of {} job {} could not be masked, and is hidden: {}", job.type(), job.id(),
					ex.getClass().getName());
			return new Shown(null, How.FAILED);
		}
	}

	/**
	 * Whether a job's payload is shown as it is, so that it can be edited.
	 */
	boolean isShownWhole(long id) {
		return this.queue.find(id)
			.map((job) -> shown(job, true).how())
			.filter((how) -> how != How.MASKED && how != How.FAILED)
			.isPresent();
	}

	/**
	 * A job as it was found.
	 *
	 * @param job the job
	 * @param errors why its attempts failed
	 * @param shown what is shown of its payload
	 */
	record Found(Job job, List<JobSummary.Problem> errors, Shown shown) {

	}

	enum How {

		NONE, WHOLE, MASKED, HIDDEN, FAILED

	}

	record Shown(@Nullable String payload, How how) {

	}

	Aged<List<Cause>> causes() {
		return this.causes.aged();
	}

	/**
	 * Lets the next one who asks see what was changed.
	 */
	void expire() {
		this.causes.expire();
	}

	/**
	 * A page of a list.
	 *
	 * @param jobs the jobs
	 * @param next where the next page begins; null if there is none
	 */
	record Page(List<JobSummary> jobs, @Nullable String next) {

	}

	/**
	 * How many jobs there are, at least.
	 *
	 * @param jobs how many were counted
	 * @param more whether there may be more
	 */
	record Count(long jobs, boolean more) {

		static Count of(JobCount count) {
			return new Count(count.jobs(), count.more());
		}

	}

	/**
	 * All that is known of one job.
	 *
	 * @param job the job
	 * @param reasons why it has not started though it is ready, as far as that can be
	 * seen
	 * @param errors why its attempts failed, the last one first; at most 50
	 * @param payload what it carries; null if there is nothing, or it is not shown
	 * @param payloadShown how that is shown: {@code none} if there is nothing,
	 * {@code whole}, {@code masked}, {@code hidden} from who asks, {@code failed} if it
	 * could not be masked
	 * @param payloadLength how many characters it carries
	 */
	record Detail(JobSummary job, List<String> reasons, List<JobSummary.Problem> errors, @Nullable String payload,
			String payloadShown, int payloadLength) {

	}

	/**
	 * Why jobs are dead.
	 */
	record Cause(String id, String errorType, String place, String message, Count jobs, Instant firstAt,
			Instant lastAt) {

		static Cause of(DeadCause cause) {
			return new Cause(Long.toString(cause.id()), cause.errorType(), cause.place(), cause.message(),
					Count.of(cause.jobs()), cause.firstAt(), cause.lastAt());
		}

	}

}
