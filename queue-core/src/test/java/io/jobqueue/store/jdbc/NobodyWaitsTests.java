package io.jobqueue.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.test.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the tests have in common in which nobody waits for rows that others hold: a pool
 * whose sessions wait a second at most, after which a wait would count as a conflict.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(value = TestDatabase.class, names = { "MYSQL", "MARIADB" })
abstract class NobodyWaitsTests extends StoreTests {

	private static HikariDataSource impatient;

	@Override
	DataSource dataSource() {
		if (impatient == null || impatient.isClosed()) {
			impatient = schema().pool("sessionVariables=innodb_lock_wait_timeout=1");
		}
		return impatient;
	}

	@AfterEach
	void nobodyHasWaited() {
		assertThat(this.database.transactions().conflicts()).as("conflicts").isZero();
	}

	List<Claim> running(int size) {
		enqueue(size);
		return claim(size).stream().map(ClaimedJob::claim).toList();
	}

	static List<String> keys(int size) {
		return IntStream.range(0, size).mapToObj("key-%03d"::formatted).toList();
	}

	static List<Long> ids(List<Claim> claims) {
		return claims.stream().map(Claim::id).toList();
	}

	static <T> List<T> ours(List<T> all) {
		return everySecond(all, 0);
	}

	static <T> List<T> theirs(List<T> all) {
		return everySecond(all, 1);
	}

	private static <T> List<T> everySecond(List<T> all, int start) {
		List<T> some = new ArrayList<>();
		for (int i = start; i < all.size(); i += 2) {
			some.add(all.get(i));
		}
		return some;
	}

}
