package io.jobqueue.chaos;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.JobStore;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Ways to break a worker, each of which the checker must notice.
 */
enum Mutant {

	/** None: the worker as it is. */
	NONE("") {

		@Override
		Object call(JdbcTemplate sql, String method, Object[] arguments, Call original) throws Throwable {
			return original.with(arguments);
		}

	},

	/** An ack ends whatever claim is current, not just the one that it is for. */
	ACK_WITHOUT_FENCE("A worker believes") {

		@Override
		Object call(JdbcTemplate sql, String method, Object[] arguments, Call original) throws Throwable {
			if (method.equals("ackInTransaction") && arguments[0] instanceof Claim) {
				return original.with(current(sql, (Claim) arguments[0]), arguments[1]);
			}
			if (method.equals("finish")) {
				List<Object> finishes = ((Collection<?>) arguments[0]).stream()
					.map((finish) -> (finish instanceof Finish.Ack ack) ? new Finish.Ack(current(sql, ack.claim()))
							: finish)
					.toList();
				Object[] changed = arguments.clone();
				changed[0] = finishes;
				return original.with(changed);
			}
			return original.with(arguments);
		}

	},

	/** Rescue takes jobs back from workers that are alive. */
	RESCUE_WITHOUT_SESSION_CHECK("could have succeeded and has not") {

		@Override
		Object call(JdbcTemplate sql, String method, Object[] arguments, Call original) throws Throwable {
			if (!method.equals("overdue")) {
				return original.with(arguments);
			}
			return sql.query("""
					SELECT id, fence, session_id, type, attempt, max_attempts, crashes, held_limit FROM jobqueue_job
					WHERE state = 1 AND id > ? ORDER BY id LIMIT ?""",
					(row, number) -> new OverdueJob(
							new Claim(row.getLong("id"), row.getLong("fence"), row.getLong("session_id")),
							row.getString("type"), row.getInt("attempt"), row.getInt("max_attempts"),
							row.getInt("crashes"), row.getInt("held_limit"), true, java.time.Duration.ZERO,
							java.time.Duration.ZERO),
					arguments);
		}

	},

	/** A finisher lets two jobs of an order key run when one has ended. */
	FINISHER_ADMITS_TWICE("was claimed before the end of") {

		@Override
		Object call(JdbcTemplate sql, String method, Object[] arguments, Call original) throws Throwable {
			Object result = original.with(arguments);
			if (method.equals("finish")
					&& ((Collection<?>) arguments[0]).stream().anyMatch(Finish.Ack.class::isInstance)) {
				sql.update("""
						UPDATE jobqueue_job SET state = 0, available_at = UTC_TIMESTAMP(6)
						WHERE state = 9 AND order_key IS NOT NULL ORDER BY id LIMIT 1""");
			}
			return result;
		}

	};

	private final String shownBy;

	Mutant(String shownBy) {
		this.shownBy = shownBy;
	}

	/** What the checker says of it. */
	String shownBy() {
		return this.shownBy;
	}

	abstract Object call(JdbcTemplate sql, String method, Object[] arguments, Call original) throws Throwable;

	/** The store as this mutant has it. */
	JobStore of(JobStore store, DataSource dataSource) {
		if (this == NONE) {
			return store;
		}
		JdbcTemplate sql = new JdbcTemplate(dataSource);
		return (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, arguments) -> call(sql, method.getName(), arguments, (changed) -> {
					try {
						return method.invoke(store, changed);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				}));
	}

	private static Claim current(JdbcTemplate sql, Claim claim) {
		List<Long> fence = sql.queryForList("SELECT fence FROM jobqueue_job WHERE id = ?", Long.class, claim.id());
		return fence.isEmpty() ? claim : new Claim(claim.id(), fence.get(0), claim.session());
	}

	/**
	 * The method as it was.
	 */
	interface Call {

		Object with(Object... arguments) throws Throwable;

	}

}
