package io.jobqueue.store.jdbc.table;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.jobqueue.database.Database;
import org.jspecify.annotations.Nullable;

/**
 * Which types have limits, as this node knows it: read again every few seconds while
 * there are jobs. Jobs of such a type stand in ranges of their own, where claims regard
 * the limit: those without a limit key under the type's number, those with one under the
 * negative of that.
 */
public final class LimitedTypes {

	private static final long INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();

	private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

	private static final String SELECT = """
			SELECT id, name FROM jobqueue_type WHERE limit_name <> ''""";

	private final Database database;

	private final LongSupplier nanoTime;

	private final AtomicLong readAt;

	private volatile Map<String, Integer> ids = Map.of();

	public LimitedTypes(Database database, LongSupplier nanoTime) {
		this.database = database;
		this.nanoTime = nanoTime;
		this.readAt = new AtomicLong(nanoTime.getAsLong() - IDLE_NANOS);
	}

	/**
	 * Reads them, if that was not done lately.
	 * @param anyReady whether there are jobs that may be claimed; else it is not urgent
	 */
	public void refresh(boolean anyReady) {
		if (isOld(anyReady ? INTERVAL_NANOS : IDLE_NANOS)) {
			read();
		}
	}

	/**
	 * The same in the caller's transaction: an enqueue takes no other connection. Nodes
	 * that only enqueue know of limits by this.
	 * @param ofCaller the database as the caller sees it
	 */
	public void refresh(Database ofCaller) {
		if (isOld(INTERVAL_NANOS)) {
			this.ids = read(ofCaller);
		}
	}

	private boolean isOld(long nanos) {
		long last = this.readAt.get();
		long now = this.nanoTime.getAsLong();
		return now - last >= nanos && this.readAt.compareAndSet(last, now);
	}

	/**
	 * Reads them, because some may have changed.
	 */
	public void read() {
		this.ids = this.database.read(() -> read(this.database));
	}

	private static Map<String, Integer> read(Database database) {
		return database.sql(SELECT)
			.query((row, number) -> Map.entry(database.dialect().name(row.getString("name")), row.getInt("id")))
			.list()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, other) -> one));
	}

	/**
	 * The numbers under which their jobs stand; 0 if there are none, as a list in SQL
	 * must not be empty.
	 */
	public List<Integer> ranges() {
		return this.ids.isEmpty() ? List.of(0)
				: this.ids.values().stream().flatMap((id) -> Stream.of(id, -id)).toList();
	}

	public Set<String> names() {
		return this.ids.keySet();
	}

	/**
	 * Whether the jobs of a type have a limit.
	 */
	public boolean contains(String type) {
		return idOf(type) != null;
	}

	/**
	 * The number of a type.
	 * @return null if its jobs have no limit
	 */
	public @Nullable Integer idOf(String type) {
		return this.ids.isEmpty() ? null : this.ids.get(this.database.dialect().name(type));
	}

	/**
	 * The number under which a job stands.
	 * @param type its type
	 * @param limitKey its limit key; null or empty for none
	 * @return 0 if its type has no limit
	 */
	public int rangeOf(String type, @Nullable String limitKey) {
		Integer id = idOf(type);
		if (id == null) {
			return 0;
		}
		return (limitKey == null || this.database.dialect().name(limitKey).isEmpty()) ? id : -id;
	}

}
