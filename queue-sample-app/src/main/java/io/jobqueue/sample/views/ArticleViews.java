package io.jobqueue.sample.views;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.JobBatch;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.PermanentJobException;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Writes down what customers look at: one statement for hundreds of jobs, which end in
 * the same transaction.
 */
@Component
class ArticleViews {

	private static final int ARTICLES = 100;

	private final JobQueue queue;

	private final JdbcTemplate template;

	private final AtomicInteger calls = new AtomicInteger();

	private final AtomicInteger largest = new AtomicInteger();

	ArticleViews(JobQueue queue, JdbcTemplate template) {
		this.queue = queue;
		this.template = template;
	}

	/**
	 * Has customers look at articles, the last of them at one that does not exist.
	 */
	void look(int count) {
		this.queue.enqueueAll(IntStream.rangeClosed(1, count)
			.map((number) -> (number < count) ? 1 + ThreadLocalRandom.current().nextInt(ARTICLES) : -1)
			.mapToObj((article) -> ArticleViewsJobs.countView(new ArticleView(article)))
			.toList());
	}

	@JobHandler(value = "count-view", batchSize = 500, batchWait = "100ms", transactional = true)
	void count(JobBatch<ArticleView> views) {
		this.calls.incrementAndGet();
		this.largest.accumulateAndGet(views.entries().size(), Math::max);
		views.payloads()
			.stream()
			.filter((view) -> view.article() < 0)
			.forEach((view) -> views.fail(view, new PermanentJobException("There is no article " + view.article())));
		List<Object[]> rows = views.payloads()
			.stream()
			.filter((view) -> view.article() >= 0)
			.map((view) -> new Object[] { view.article() })
			.toList();
		this.template.batchUpdate("INSERT INTO shop_article_view (article) VALUES (?)", rows);
	}

	Counted counted() {
		Long views = this.template.queryForObject("SELECT COUNT(*) FROM shop_article_view", Long.class);
		return new Counted((views != null) ? views : 0, this.calls.get(), this.largest.get());
	}

	/**
	 * What was written down.
	 *
	 * @param views how many views, by all processes
	 * @param calls how many calls of the handler of this process have done that
	 * @param largestChunk how many jobs the largest of them had
	 */
	record Counted(long views, int calls, int largestChunk) {

	}

}
