package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * What attempts have come to in the last minutes, as the history says.
 */
public final class RatesApi {

	private static final Duration AGAIN = Duration.ofSeconds(30);

	private static final int MINUTES = 5;

	/** Fewer failures may be chance. */
	private static final int MANY = 20;

	private final HistoryStore store;

	private final boolean recorded;

	private final Shared<Rates> rates;

	/**
	 * Creates it.
	 * @param store the history
	 * @param recorded whether this node adds to it
	 */
	public RatesApi(HistoryStore store, boolean recorded) {
		this.store = store;
		this.recorded = recorded;
		this.rates = new Shared<>(AGAIN, this::read, System::nanoTime);
	}

	/**
	 * How many attempts have started lately. While that cannot be read, what was read
	 * last.
	 */
	Rates rates() {
		try {
			return this.rates.get();
		}
		catch (DataAccessException | TransactionException ex) {
			return known();
		}
	}

	/**
	 * What was read last.
	 */
	Rates known() {
		Rates known = this.rates.known();
		return (known != null) ? known : new Rates(Map.of(), false, List.of());
	}

	private Rates read() {
		HistoryRange lately = new HistoryRange(Duration.ofMinutes(MINUTES), Duration.ofMinutes(1), null, null);
		List<HistoryRow> sums = this.store.sums(lately, Integer.MAX_VALUE);
		Map<String, Double> perMinute = sums.stream()
			.collect(Collectors.groupingBy(HistoryRow::queue,
					Collectors.summingDouble((row) -> (double) row.counts().started() / MINUTES)));
		boolean none = !this.recorded && perMinute.isEmpty();
		return new Rates(perMinute, !none && perMinute.getOrDefault(HistoryRow.OTHERS, 0.0) == 0, failing(sums));
	}

	private static List<Failing> failing(List<HistoryRow> sums) {
		Map<String, Failing> byType = sums.stream()
			.filter((row) -> !row.type().equals(HistoryRow.OTHERS))
			.map((row) -> new Failing(row.type(), row.counts().failed(), row.counts().succeeded()))
			.collect(Collectors.toMap(Failing::type, Function.identity(), Failing::plus));
		return byType.values()
			.stream()
			.filter((type) -> type.failed() >= MANY && type.failed() > type.succeeded())
			.sorted(Comparator.comparingLong(Failing::failed).reversed().thenComparing(Failing::type))
			.toList();
	}

	/**
	 * How many attempts have started a minute, lately.
	 *
	 * @param perMinute by queue, of those of which any has
	 * @param ofAll whether none of the other queues has; false if that is not known
	 * @param failing types of whose attempts more than half have failed, the worst first
	 */
	record Rates(Map<String, Double> perMinute, boolean ofAll, List<Failing> failing) {

		@Nullable Double get(String queue) {
			return this.perMinute.getOrDefault(queue, this.ofAll ? 0.0 : null);
		}

	}

	/**
	 * A type whose attempts fail.
	 *
	 * @param type the type
	 * @param failed how many failed, lately
	 * @param succeeded how many did not
	 */
	record Failing(String type, long failed, long succeeded) {

		Failing plus(Failing other) {
			return new Failing(this.type, this.failed + other.failed, this.succeeded + other.succeeded);
		}

	}

}
