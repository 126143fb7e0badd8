package io.jobqueue.processor;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

import io.jobqueue.processor.HandlerClass.Marked;
import io.jobqueue.rule.PayloadRules;

/**
 * Warns of payloads that Jackson would not read. Start-up asks Jackson itself, with its
 * modules and mixins; so where there is any doubt nothing is said here. A warning can be
 * switched off at the method, or at its class, by {@code @SuppressWarnings("jobqueue")}.
 */
final class PayloadChecks {

	private static final String SUPPRESSED = "jobqueue";

	/** What Jackson, or the queue, knows by itself. */
	private static final List<String> OF_OTHERS = List.of("java.", "javax.", "org.w3c.dom.", "io.jobqueue.");

	/** What holds code, not data. */
	private static final List<String> CODE = List.of("java.lang.Runnable", "java.util.concurrent.Callable",
			"java.util.function.");

	/** A class that needs none of Jackson's annotations to say how it is made. */
	private static final String NAMES_ITS_PROPERTIES = "java.beans.ConstructorProperties";

	private final Model model;

	private final Report report;

	PayloadChecks(Model model, Report report) {
		this.model = model;
		this.report = report;
	}

	void check(HandlerClass type) {
		type.methods()
			.stream()
			.filter(Marked::isHandler)
			.map(Marked::method)
			.filter((method) -> !isSuppressed(method) && !isSuppressed(type.type()))
			.forEach(this::check);
	}

	private void check(ExecutableElement method) {
		for (VariableElement parameter : method.getParameters()) {
			problemOf(parameter.asType(), new HashSet<>())
				.ifPresent((reason) -> this.report.warning("This payload cannot be read as " + parameter.asType() + ": "
						+ reason + ". Its jobs may be dead at once", parameter));
		}
	}

	private boolean isSuppressed(Element element) {
		return Model.direct(element, SuppressWarnings.class.getName())
			.flatMap((mirror) -> this.model.value(mirror, "value"))
			.filter((value) -> value.toString().contains('"' + SUPPRESSED + '"'))
			.isPresent();
	}

	private Optional<String> problemOf(TypeMirror type, Set<String> seen) {
		if (type instanceof ArrayType array) {
			return problemOf(array.getComponentType(), seen);
		}
		if (!(type instanceof DeclaredType declared) || !seen.add(type.toString())) {
			return Optional.empty();
		}
		TypeElement element = (TypeElement) declared.asElement();
		String name = this.model.elements().getBinaryName(element).toString();
		if (name.equals(Class.class.getName())) {
			// Its argument says what the class is of, and is not read.
			return Optional.empty();
		}
		if (CODE.stream().anyMatch(name::startsWith)) {
			return Optional.of(PayloadRules.isAbstract(name));
		}
		if (OF_OTHERS.stream().anyMatch(name::startsWith) || name.contains(".jackson.")) {
			return firstProblem(declared.getTypeArguments(), seen);
		}
		if (element.getKind() == ElementKind.ENUM || saysHowItIsMade(element) || hasFactory(element)) {
			return Optional.empty();
		}
		if (element.getKind() == ElementKind.INTERFACE || element.getModifiers().contains(Modifier.ABSTRACT)) {
			return Optional.of(PayloadRules.isAbstract(name));
		}
		if (element.getKind() == ElementKind.RECORD) {
			return firstProblem(element.getRecordComponents()
				.stream()
				.filter((component) -> !Model.hasAnnotationOfJackson(component)
						&& !Model.hasAnnotationOfJackson(component.getAccessor()))
				.map(RecordComponentElement::asType)
				.toList(), seen);
		}
		return canBeMade(element) ? Optional.empty() : Optional.of(PayloadRules.hasNoConstructor(name));
	}

	private Optional<String> firstProblem(List<? extends TypeMirror> types, Set<String> seen) {
		return types.stream().map((type) -> problemOf(type, seen)).flatMap(Optional::stream).findFirst();
	}

	/**
	 * Whether an annotation of Jackson's is at the class, at one that it inherits from,
	 * or at what may make it.
	 */
	private boolean saysHowItIsMade(TypeElement type) {
		if (Model.hasAnnotationOfJackson(type) || type.getEnclosedElements()
			.stream()
			.filter((member) -> member.getKind() == ElementKind.CONSTRUCTOR || member.getKind() == ElementKind.METHOD)
			.anyMatch((member) -> Model.hasAnnotationOfJackson(member)
					|| Model.direct(member, NAMES_ITS_PROPERTIES).isPresent()
					|| ((ExecutableElement) member).getParameters().stream().anyMatch(Model::hasAnnotationOfJackson))) {
			return true;
		}
		return this.model.types()
			.directSupertypes(type.asType())
			.stream()
			.map((above) -> (TypeElement) ((DeclaredType) above).asElement())
			.filter((above) -> !above.getQualifiedName().contentEquals(Object.class.getName()))
			.anyMatch(this::saysHowItIsMade);
	}

	/**
	 * Without an annotation Jackson uses a constructor without parameters, whoever may
	 * see it; or the only one, if it is public, whose parameters have the names of the
	 * properties. What is made of one text or number, by a constructor that is not
	 * private, is not decided here.
	 */
	private boolean canBeMade(TypeElement type) {
		if (type.getNestingKind().isNested() && !type.getModifiers().contains(Modifier.STATIC)) {
			return false;
		}
		List<ExecutableElement> constructors = ElementFilter.constructorsIn(type.getEnclosedElements());
		boolean isOnly = constructors.size() == 1 && constructors.get(0).getModifiers().contains(Modifier.PUBLIC);
		return isOnly || constructors.stream()
			.anyMatch((one) -> one.getParameters().isEmpty()
					|| isOfScalar(one) && !one.getModifiers().contains(Modifier.PRIVATE));
	}

	/** Such as {@code valueOf(String)}. */
	private boolean hasFactory(TypeElement type) {
		return ElementFilter.methodsIn(type.getEnclosedElements())
			.stream()
			.anyMatch((method) -> method.getModifiers().contains(Modifier.STATIC) && isOfScalar(method));
	}

	private boolean isOfScalar(ExecutableElement maker) {
		if (maker.getParameters().size() != 1) {
			return false;
		}
		TypeMirror type = maker.getParameters().get(0).asType();
		return type.getKind().isPrimitive() || this.model.classOf(type).startsWith("java.");
	}

}
