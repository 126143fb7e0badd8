package io.jobqueue.processor;

import java.util.List;
import java.util.Optional;

import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;

import io.jobqueue.JobBatch;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.rule.ParameterRules.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * What a handler reads of a job.
 *
 * @param type the type, in a chunk that of each job; null if it reads nothing
 * @param parameter the parameter that it is read for; null if there is none
 * @param kinds what the parameters are; empty for a batch handler
 */
record Payload(@Nullable TypeMirror type, @Nullable VariableElement parameter, List<Parameter> kinds) {

	private static final String LIST = "java.util.List";

	private static final String OPTIONAL = "java.util.Optional";

	/**
	 * Of a handler that runs one job in each call.
	 * @throws IllegalArgumentException if its parameters break a rule
	 */
	static Payload ofSingle(ExecutableElement method, boolean ofDeadJobs, Model model) {
		List<? extends VariableElement> parameters = method.getParameters();
		Optional<Payload> open = open(parameters);
		if (open.isPresent()) {
			return open.get();
		}
		List<Parameter> kinds = parameters.stream().map((one) -> Parameter.of(model.classOf(one.asType()))).toList();
		ParameterRules.check(kinds, ofDeadJobs);
		for (int i = 0; i < kinds.size(); i++) {
			TypeMirror written = parameters.get(i).asType();
			if (kinds.get(i) == Parameter.PAYLOAD) {
				return new Payload(known(written, written), parameters.get(i), kinds);
			}
			if (kinds.get(i) == Parameter.OPTIONAL_PAYLOAD) {
				return new Payload(known(contentOf(written, model), written), parameters.get(i), kinds);
			}
		}
		return new Payload(null, null, kinds);
	}

	/**
	 * Where a subclass says what a parameter is, it may be anything.
	 */
	private static Optional<Payload> open(List<? extends VariableElement> parameters) {
		return parameters.stream()
			.filter((one) -> isOpen(one.asType()))
			.findFirst()
			.map((one) -> new Payload(one.asType(), one, List.of()));
	}

	/**
	 * Whether it is known what is read, if anything is.
	 */
	boolean isDecided() {
		return this.type == null || !isOpen(this.type);
	}

	private static TypeMirror contentOf(TypeMirror optional, Model model) {
		return (optional instanceof DeclaredType declared && !declared.getTypeArguments().isEmpty())
				? withoutWildcard(declared.getTypeArguments().get(0), model) : object(model);
	}

	private static TypeMirror known(TypeMirror type, TypeMirror written) {
		if (isUnknown(type)) {
			throw ParameterRules.unknownPayload(written.toString().replace(",", ", "));
		}
		return type;
	}

	/**
	 * Of a batch handler.
	 * @throws IllegalArgumentException if its parameter breaks a rule
	 */
	static Payload ofChunk(ExecutableElement method, Model model) {
		List<? extends VariableElement> parameters = method.getParameters();
		Optional<Payload> open = open(parameters);
		if (parameters.size() == 1 && open.isPresent()) {
			return open.get();
		}
		String raw = (parameters.size() == 1) ? model.classOf(parameters.get(0).asType()) : "";
		ParameterRules.refuseUnlessChunk(raw.equals(LIST) || raw.equals(JobBatch.class.getName()));
		if (!(parameters.get(0).asType() instanceof DeclaredType chunk)) {
			// A variable of the method that is bound to a list: left to start-up.
			return new Payload(parameters.get(0).asType(), parameters.get(0), List.of());
		}
		if (chunk.getTypeArguments().isEmpty() || isUnknown(chunk.getTypeArguments().get(0))) {
			throw ParameterRules.unknownItems(chunk.asElement().getSimpleName().toString());
		}
		return new Payload(withoutWildcard(chunk.getTypeArguments().get(0), model), parameters.get(0), List.of());
	}

	private static TypeMirror withoutWildcard(TypeMirror type, Model model) {
		if (!(type instanceof WildcardType wildcard)) {
			return type;
		}
		TypeMirror lower = wildcard.getSuperBound();
		TypeMirror upper = wildcard.getExtendsBound();
		return (lower != null) ? lower : (upper != null) ? upper : object(model);
	}

	private static TypeMirror object(Model model) {
		return model.elements().getTypeElement(Object.class.getName()).asType();
	}

	/**
	 * Whether a type has a variable that nobody can say any more. A subclass may say that
	 * of its base class.
	 */
	private static boolean isUnknown(TypeMirror type) {
		if (type instanceof TypeVariable variable) {
			return !isOpen(variable) && isUnbound(variable);
		}
		if (type instanceof WildcardType wildcard) {
			return wildcard.getExtendsBound() instanceof TypeVariable upper && isUnknown(upper);
		}
		if (type instanceof ArrayType array) {
			return isUnknown(array.getComponentType());
		}
		return type instanceof DeclaredType declared && (isUnknown(declared.getEnclosingType())
				|| declared.getTypeArguments().stream().anyMatch(Payload::isUnknown));
	}

	/**
	 * Whether a type is what a subclass says, so that nothing is known of it.
	 */
	private static boolean isOpen(TypeMirror type) {
		if (!(type instanceof TypeVariable variable)) {
			return false;
		}
		Element owner = ((TypeParameterElement) variable.asElement()).getGenericElement();
		return owner.getKind() != ElementKind.METHOD && !owner.getModifiers().contains(Modifier.FINAL);
	}

	/** As reflection has it, the first bound counts. */
	private static boolean isUnbound(TypeVariable variable) {
		TypeMirror bound = variable.getUpperBound();
		if (bound instanceof IntersectionType several) {
			bound = several.getBounds().get(0);
		}
		return (bound instanceof TypeVariable other) ? isUnknown(other)
				: bound instanceof DeclaredType declared && declared.asElement() instanceof TypeElement type
						&& type.getQualifiedName().contentEquals(Object.class.getName());
	}

	/**
	 * Whether it may be missing.
	 */
	boolean isOptional() {
		return this.kinds.contains(Parameter.OPTIONAL_PAYLOAD);
	}

}
