package io.jobqueue.rule;

/**
 * Why Jackson cannot read a payload. Sentences without a full stop.
 */
public final class PayloadRules {

	private PayloadRules() {
	}

	/**
	 * An interface, or an abstract class.
	 * @param type its name
	 */
	public static String isAbstract(String type) {
		return type + " is abstract, and nothing says which class to create (@JsonTypeInfo with @JsonSubTypes, or "
				+ "@JsonDeserialize(as = ...))";
	}

	/**
	 * A class that Jackson cannot make objects of.
	 * @param type its name
	 */
	public static String hasNoConstructor(String type) {
		return type + " has no constructor that Jackson can use (@JsonCreator, one without parameters, or a record)";
	}

}
