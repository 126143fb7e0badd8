package io.jobqueue.processor;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/**
 * What the compiler knows of types and annotations.
 *
 * @param elements its elements
 * @param types its types
 */
record Model(Elements elements, Types types) {

	/**
	 * The class, or interface, that has a method.
	 */
	static TypeElement classWith(ExecutableElement method) {
		return (TypeElement) Objects.requireNonNull(method.getEnclosingElement());
	}

	/**
	 * The annotation of a name, at an element itself.
	 */
	static Optional<? extends AnnotationMirror> direct(Element element, String name) {
		return element.getAnnotationMirrors().stream().filter((mirror) -> nameOf(mirror).equals(name)).findFirst();
	}

	/**
	 * The annotation of a name, at an element or at one of its annotations.
	 */
	static Optional<AnnotationMirror> find(Element element, String name) {
		return find(element, (mirror) -> nameOf(mirror).equals(name), new HashSet<>());
	}

	/**
	 * Whether an annotation of Jackson's is at an element, or at one of its annotations.
	 */
	static boolean hasAnnotationOfJackson(Element element) {
		return find(element, (mirror) -> nameOf(mirror).contains(".jackson."), new HashSet<>()).isPresent();
	}

	private static Optional<AnnotationMirror> find(Element element, Predicate<AnnotationMirror> wanted,
			Set<Element> seen) {
		for (AnnotationMirror mirror : element.getAnnotationMirrors()) {
			if (wanted.test(mirror)) {
				return Optional.of(mirror);
			}
			Element type = mirror.getAnnotationType().asElement();
			if (seen.add(type)) {
				Optional<AnnotationMirror> found = find(type, wanted, seen);
				if (found.isPresent()) {
					return found;
				}
			}
		}
		return Optional.empty();
	}

	private static String nameOf(AnnotationMirror mirror) {
		return ((TypeElement) mirror.getAnnotationType().asElement()).getQualifiedName().toString();
	}

	/**
	 * What an annotation says for an attribute, be it by default.
	 */
	Optional<AnnotationValue> value(AnnotationMirror mirror, String attribute) {
		for (Map.Entry<? extends ExecutableElement, ? extends AnnotationValue> entry : this.elements
			.getElementValuesWithDefaults(mirror)
			.entrySet()) {
			if (entry.getKey().getSimpleName().contentEquals(attribute)) {
				return Optional.of(entry.getValue());
			}
		}
		return Optional.empty();
	}

	/**
	 * The same as text; a constant by its name. Empty if there is no such attribute.
	 */
	String text(AnnotationMirror mirror, String attribute) {
		return value(mirror, attribute).map((value) -> (value.getValue() instanceof Element constant)
				? constant.getSimpleName().toString() : String.valueOf(value.getValue()))
			.orElse("");
	}

	/**
	 * Whether a type is a class or one that inherits from it. A class that is not on the
	 * class path has no heirs.
	 */
	boolean isA(TypeMirror type, String className) {
		TypeElement wanted = this.elements.getTypeElement(className);
		return wanted != null && type.getKind() == TypeKind.DECLARED
				&& this.types.isAssignable(this.types.erasure(type), this.types.erasure(wanted.asType()));
	}

	/**
	 * The name of a type's class, as {@link Class#getName()} has it; of a variable that
	 * of its bound; empty for arrays and primitives.
	 */
	String classOf(TypeMirror type) {
		TypeMirror erased = this.types.erasure(type);
		return (erased instanceof DeclaredType declared)
				? this.elements.getBinaryName((TypeElement) declared.asElement()).toString() : "";
	}

}
