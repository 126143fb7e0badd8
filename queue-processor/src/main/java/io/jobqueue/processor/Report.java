package io.jobqueue.processor;

import java.util.Optional;

import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;

import io.jobqueue.rule.RefusedException;

/**
 * Tells what was found, at the place that it is about.
 *
 * @param messager where the compiler takes it
 */
record Report(Messager messager) {

	/**
	 * A method that cannot be a handler.
	 * @param refusal why
	 * @param place the method, or one of its parameters
	 */
	void refused(RefusedException refusal, Element place) {
		this.messager.printMessage(Diagnostic.Kind.ERROR, text("job handler", refusal), place);
	}

	/**
	 * The same, where an annotation of the method says so.
	 */
	void refused(RefusedException refusal, Element method, Optional<? extends AnnotationMirror> annotation) {
		this.messager.printMessage(Diagnostic.Kind.ERROR, text("job handler", refusal), method,
				annotation.orElse(null));
	}

	/**
	 * A method that is marked, and no handler.
	 */
	void refusedMethod(RefusedException refusal, Element method) {
		this.messager.printMessage(Diagnostic.Kind.ERROR, text("method", refusal), method);
	}

	private static String text(String what, RefusedException refusal) {
		return "This " + what + " " + refusal.reason() + ". " + refusal.action();
	}

	void error(String text, Element place) {
		this.messager.printMessage(Diagnostic.Kind.ERROR, text, place);
	}

	void warning(String text, Element place) {
		this.messager.printMessage(Diagnostic.Kind.WARNING, text, place);
	}

	void note(String text, Element place) {
		this.messager.printMessage(Diagnostic.Kind.NOTE, text, place);
	}

}
