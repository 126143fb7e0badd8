package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.util.List;

import io.jobqueue.OnDead;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handler.ChunkItem;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A batch handler that writes one row for each job.
 */
final class InChunks implements Handler.ChunkInvocation {

	private final JdbcTemplate sql;

	private final Work work;

	InChunks(JdbcTemplate sql, Work work) {
		this.sql = sql;
		this.work = work;
	}

	Handler handler(RetryPolicy retry) {
		return new Handler("work", this, retry, Duration.ofHours(1), this.work.transactional(), OnDead.CONTINUE, "",
				new Handler.Chunks(this.work.chunk(), Duration.ofMillis(20)));
	}

	@Override
	public Object read(@Nullable String payload) {
		return (payload != null) ? payload : "";
	}

	@Override
	public void invoke(List<ChunkItem> items) {
		this.sql.update(Work.effects(items.stream().map((item) -> item.context().id())));
		this.work.runs().add(items.size());
	}

}
