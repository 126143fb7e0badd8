package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.jobqueue.JobState;
import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Pruning;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nobody who changes 1,008 rows of 1,100 waits for the others, which another session
 * holds locked. From 1,000 values in a list on MariaDB reads whole tables, whatever index
 * is named.
 */
class NobodyWaitsForLongListsTests extends NobodyWaitsTests {

	private static final int ROWS = 1_100;

	static Stream<Named<Function<Claim, Finish>>> kinds() {
		return StaleClaimTests.kinds();
	}

	private static <T> List<T> theirFew(List<T> all) {
		List<T> few = new ArrayList<>();
		for (int i = 0; i < all.size(); i += 12) {
			few.add(all.get(i));
		}
		assertThat(few).hasSize(92);
		return few;
	}

	private static <T> List<T> ourMany(List<T> all) {
		List<T> many = new ArrayList<>(all);
		many.removeAll(theirFew(all));
		assertThat(many).hasSize(1_008);
		return many;
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void finishing(Function<Claim, Finish> kind) throws SQLException {
		List<Claim> claims = running(ROWS);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids(theirFew(claims)));
			assertThat(this.store.finish(ourMany(claims).stream().map(kind).toList())).isEmpty();
		}
		assertThat(this.store.finish(theirFew(claims).stream().map(kind).toList())).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void finishingWhatIsNotLocked(Function<Claim, Finish> kind) throws SQLException {
		List<Claim> claims = running(ROWS);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids(theirFew(claims)));
			assertThat(this.store.finish(claims.stream().map(kind).toList()))
				.containsExactlyInAnyOrderElementsOf(theirFew(claims));
		}
	}

	@Test
	void ackingWithoutTrace() throws SQLException {
		this.store = store(StoreSettings.DEFAULT.withKeepSucceeded(false));
		List<Claim> claims = running(ROWS);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids(theirFew(claims)));
			assertThat(this.store.finish(ourMany(claims).stream().map(Finish.Ack::new).toList())).isEmpty();
		}
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(92);
	}

	@Test
	void redriving() throws SQLException {
		List<Claim> claims = running(ROWS);
		this.store.finish(claims.stream().map((claim) -> new Finish.DeadLetter(claim, failure())).toList());
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_archive", "id", ids(theirFew(claims)));
			assertThat(this.store.redrive(ids(ourMany(claims)))).isEqualTo(1_008);
		}
	}

	@Test
	void pruning() throws SQLException {
		List<Claim> claims = running(ROWS);
		this.store.finish(claims.stream().map(Finish.Ack::new).toList());
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_archive", "id", ids(theirFew(claims)));
			assertThat(Pruning.prune(this.store, JobState.SUCCEEDED, Duration.ZERO, ROWS)).isEqualTo(1_008);
		}
	}

	@Test
	void expiring() throws SQLException {
		List<Long> ids = enqueue(ROWS);
		this.rows.sql("UPDATE jobqueue_job SET expires_at = TIMESTAMPADD(SECOND, -1, {now})").update();
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", theirFew(ids));
			assertThat(this.store.expire(null, ROWS).changed()).isEqualTo(1_008);
		}
	}

}
