package io.jobqueue.benchmark.scenario;

import java.util.List;

/**
 * What is measured under one name.
 *
 * @param systems the systems that it is about; the first is compared with the others
 * @param variants the situations, at least one; the others are compared with the first
 */
public record Comparison(List<String> systems, List<Variant> variants) {

	/**
	 * The queue and plain JDBC in one situation.
	 */
	static Comparison of(Scenario scenario) {
		return of(new Variant("", scenario));
	}

	/**
	 * The queue and plain JDBC in several situations.
	 */
	static Comparison of(Variant... variants) {
		return new Comparison(List.of("ours", "raw"), List.of(variants));
	}

	/**
	 * The same among other systems.
	 */
	Comparison among(String... systems) {
		return new Comparison(List.of(systems), this.variants);
	}

}
