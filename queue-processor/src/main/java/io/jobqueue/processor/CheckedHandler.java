package io.jobqueue.processor;

import javax.lang.model.element.ExecutableElement;

/**
 * A handler whose parameters are as they are to be.
 *
 * @param method its method
 * @param type the type of its jobs, as the annotation says it: it may hold placeholders
 * @param ofDeadJobs whether it is called for dead jobs
 * @param payload what it reads
 */
record CheckedHandler(ExecutableElement method, String type, boolean ofDeadJobs, Payload payload) {

	/**
	 * Whether only the properties of the application say what the type is.
	 */
	boolean isTypeOfProperty() {
		return Texts.isProperty(this.type);
	}

}
