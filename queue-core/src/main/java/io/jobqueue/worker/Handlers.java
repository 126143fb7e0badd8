package io.jobqueue.worker;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

import io.jobqueue.store.Deadlines;
import io.jobqueue.store.DeadJobTypes;
import io.jobqueue.store.TypeRules;

import org.jspecify.annotations.Nullable;

/**
 * The handlers of one node, by type.
 */
public final class Handlers {

	private final Map<String, Handler> byType = new ConcurrentSkipListMap<>();

	/**
	 * Starts a collection. All handlers are to be added before a worker starts with it.
	 */
	public Handlers() {
	}

	/**
	 * Collects handlers.
	 * @param handlers the handlers
	 * @throws IllegalArgumentException if two are for one type
	 */
	public Handlers(Collection<Handler> handlers) {
		handlers.forEach(this::add);
	}

	/**
	 * Adds a handler.
	 * @param handler the handler
	 * @throws IllegalArgumentException if there is one for its type
	 */
	public void add(Handler handler) {
		if (this.byType.putIfAbsent(handler.type(), handler) != null) {
			throw new IllegalArgumentException("Two handlers for job type '" + handler.type() + "'");
		}
	}

	/**
	 * Finds the handler of a type.
	 * @param type the type
	 * @return its handler, or null if this node has none
	 */
	public @Nullable Handler find(String type) {
		return this.byType.get(type);
	}

	/**
	 * What the payloads of a type are read as.
	 * @param type the type
	 * @return the type of the handler's parameter; null if there is no such handler, or
	 * it takes no payload
	 */
	public @Nullable Type payloadType(String type) {
		Handler handler = find(type);
		return (handler != null) ? handler.invocation().payloadType() : null;
	}

	/**
	 * What the payloads of a type are read as by the handler of its dead jobs.
	 * @param type the type
	 * @return the type of that handler's parameter; null if there is no such handler, or
	 * it takes no payload
	 */
	public @Nullable Type payloadTypeOfDead(String type) {
		Handler own = find(DeadJobTypes.telling(type));
		Handler handler = (own != null) ? own : find(DeadJobTypes.telling(DeadJobTypes.EVERY_TYPE));
		return (handler != null) ? handler.invocation().payloadTypeOfDead() : null;
	}

	/**
	 * The types that this node has handlers for.
	 * @return the types, sorted
	 */
	public List<String> types() {
		return List.copyOf(this.byType.keySet());
	}

	/**
	 * The types whose handlers are transactional: they need a connection for as long as
	 * they run.
	 * @return the types, sorted
	 */
	public List<String> transactional() {
		return this.byType.values().stream().filter(Handler::transactional).map(Handler::type).toList();
	}

	public Map<String, TypeRules> rules() {
		return this.byType.values()
			.stream()
			.collect(Collectors.toMap(Handler::type,
					(handler) -> new TypeRules(handler.retry(), handler.onDead(), handler.limit())));
	}

	/**
	 * How long jobs may stay claimed.
	 * @param margin what is added to their timeouts
	 */
	public Deadlines deadlines(Duration margin) {
		Map<String, Duration> timeouts = this.byType.values()
			.stream()
			.collect(Collectors.toMap(Handler::type, Handler::timeout));
		return new Deadlines(timeouts, Duration.ZERO, margin);
	}

}
