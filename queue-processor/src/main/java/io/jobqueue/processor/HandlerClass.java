package io.jobqueue.processor;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.ElementFilter;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobHandler;
import io.jobqueue.Recurring;
import org.jspecify.annotations.Nullable;

/**
 * A class, or interface, and its methods that are marked.
 *
 * @param type the class
 * @param methods the methods, in the order of the source
 * @param isComplete whether all types in the signatures and annotations are known by now
 */
record HandlerClass(TypeElement type, List<Marked> methods, boolean isComplete) {

	private static final List<String> MARKS = List.of(JobHandler.class.getName(), DeadJobHandler.class.getName(),
			Recurring.class.getName());

	static Optional<HandlerClass> find(String name, Model model) {
		return Optional.ofNullable(model.elements().getTypeElement(name)).map(HandlerClass::of);
	}

	private static HandlerClass of(TypeElement type) {
		List<ExecutableElement> marked = ElementFilter.methodsIn(type.getEnclosedElements())
			.stream()
			.filter((method) -> marks(method).findAny().isPresent())
			.toList();
		List<Marked> complete = marked.stream().filter(HandlerClass::isComplete).map(Marked::of).toList();
		return new HandlerClass(type, complete, complete.size() == marked.size());
	}

	private static Stream<? extends AnnotationMirror> marks(ExecutableElement method) {
		return MARKS.stream().map((mark) -> Model.direct(method, mark)).flatMap(Optional::stream);
	}

	private static boolean isComplete(ExecutableElement method) {
		return isKnown(method.getReturnType())
				&& method.getParameters().stream().map(VariableElement::asType).allMatch(HandlerClass::isKnown)
				&& marks(method).flatMap((mark) -> mark.getElementValues().values().stream())
					.allMatch(HandlerClass::isKnown);
	}

	/**
	 * The compiler gives a class that it does not know as a text, and fails when the
	 * annotation is read.
	 */
	private static boolean isKnown(AnnotationValue value) {
		if (value.getValue() instanceof AnnotationMirror inner) {
			return inner.getElementValues().values().stream().allMatch(HandlerClass::isKnown);
		}
		if (value.getValue() instanceof List<?> values) {
			return values.stream().map(AnnotationValue.class::cast).allMatch(HandlerClass::isKnown);
		}
		return !"<error>".equals(value.getValue()) && (!(value.getValue() instanceof TypeMirror type) || isKnown(type));
	}

	private static boolean isKnown(@Nullable TypeMirror type) {
		if (type instanceof ArrayType array) {
			return isKnown(array.getComponentType());
		}
		if (type instanceof WildcardType wildcard) {
			return isKnown(wildcard.getExtendsBound()) && isKnown(wildcard.getSuperBound());
		}
		if (type == null || type.getKind() != TypeKind.DECLARED) {
			return type == null || type.getKind() != TypeKind.ERROR;
		}
		DeclaredType declared = (DeclaredType) type;
		return isKnown(declared.getEnclosingType())
				&& declared.getTypeArguments().stream().allMatch(HandlerClass::isKnown);
	}

	/**
	 * A method, and what it is marked with.
	 *
	 * @param method the method
	 * @param handler says that it runs jobs
	 * @param ofDeadJobs says that it is called for dead jobs
	 * @param recurring says that its jobs recur
	 */
	record Marked(ExecutableElement method, @Nullable JobHandler handler, @Nullable DeadJobHandler ofDeadJobs,
			@Nullable Recurring recurring) {

		static Marked of(ExecutableElement method) {
			return new Marked(method, method.getAnnotation(JobHandler.class),
					method.getAnnotation(DeadJobHandler.class), method.getAnnotation(Recurring.class));
		}

		boolean isHandler() {
			return this.handler != null || this.ofDeadJobs != null;
		}

	}

}
