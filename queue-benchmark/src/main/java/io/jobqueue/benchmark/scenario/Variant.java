package io.jobqueue.benchmark.scenario;

/**
 * One of the situations that are compared under one name.
 *
 * @param name what it is called in the output; empty for one that needs no name
 * @param scenario the situation
 */
public record Variant(String name, Scenario scenario) {

	/**
	 * What a system is called in this variant.
	 * @param system its name
	 * @return the two names
	 */
	public String labelOf(String system) {
		return this.name.isEmpty() ? system : system + "," + this.name;
	}

}
