package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import io.jobqueue.store.ScheduleDefinition;

/**
 * The schedules that the code of this application declares, by name.
 */
public final class DeclaredSchedules {

	private final Map<String, Declared> byName = new ConcurrentSkipListMap<>();

	/**
	 * Starts a collection.
	 */
	public DeclaredSchedules() {
	}

	/**
	 * Adds a schedule.
	 * @param definition what it says
	 * @param method the method that it is declared at
	 * @throws IllegalArgumentException if there is one of its name
	 */
	void add(ScheduleDefinition definition, Method method) {
		Declared other = this.byName.putIfAbsent(definition.name(), new Declared(definition, method));
		if (other != null) {
			throw new IllegalArgumentException("the schedule '" + definition.name() + "' is declared twice, also at "
					+ other.method() + "; give one of them another name");
		}
	}

	/**
	 * All of them.
	 * @return the definitions, by name
	 */
	public List<ScheduleDefinition> all() {
		return this.byName.values().stream().map(Declared::definition).toList();
	}

	private record Declared(ScheduleDefinition definition, Method method) {

	}

}
