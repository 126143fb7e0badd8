package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.TypeRules;
import org.jspecify.annotations.Nullable;

/**
 * The job types that a worker has handlers for, and their numbers, which it asks for when
 * the database can first be reached. From time to time it says again which limits they
 * have.
 */
public final class OwnTypes {

	private static final long KEEP_NANOS = Duration.ofMinutes(1).toNanos();

	private final ClaimStore store;

	private final Map<String, TypeRules> rules;

	private final LongSupplier nanoTime;

	/** Used by the poll loop's thread only, as the rest. */
	private @Nullable Collection<Integer> ids;

	private final Set<Integer> limited = new HashSet<>();

	private long keptAt;

	public OwnTypes(ClaimStore store, Map<String, TypeRules> rules, LongSupplier nanoTime) {
		this.store = store;
		this.rules = Map.copyOf(rules);
		this.nanoTime = nanoTime;
	}

	Set<String> names() {
		return this.rules.keySet();
	}

	/**
	 * The numbers of the types, and the negative ones for jobs with limit keys.
	 */
	Collection<Integer> ids() {
		keep();
		Collection<Integer> known = this.ids;
		if (known == null) {
			known = register();
			this.keptAt = this.nanoTime.getAsLong();
			this.ids = known;
		}
		return known;
	}

	/**
	 * Says again, from time to time, which limits the types have: if a worker is silent
	 * for some minutes, however busy it is, another version's worker takes them away.
	 */
	void keep() {
		long now = this.nanoTime.getAsLong();
		if (this.ids != null && now - this.keptAt > KEEP_NANOS) {
			this.keptAt = now;
			this.ids = this.store.keepLimits(this.rules) ? this.ids : null;
		}
	}

	private Collection<Integer> register() {
		Collection<Integer> known = new ArrayList<>();
		this.limited.clear();
		this.store.registerTypes(this.rules).forEach((type, id) -> {
			known.addAll(List.of(id, -id));
			TypeRules rule = this.rules.get(type);
			if (rule != null && !rule.limit().isEmpty()) {
				this.limited.addAll(List.of(id, -id));
			}
		});
		return known;
	}

	/**
	 * Leaves out ranges whose limits are not known any more, since somebody has emptied
	 * the table of types. They are registered again by the next read.
	 */
	List<ReadyRange> withKnownLimits(List<ReadyRange> ranges, Set<Integer> unknownTypes) {
		if (unknownTypes.isEmpty()) {
			return ranges;
		}
		this.ids = null;
		return ranges.stream()
			.filter((range) -> !unknownTypes.contains(range.typeId()) || !this.limited.contains(range.typeId()))
			.toList();
	}

}
