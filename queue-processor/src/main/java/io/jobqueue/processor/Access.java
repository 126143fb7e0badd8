package io.jobqueue.processor;

import java.util.Comparator;
import java.util.stream.Stream;

import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;

import org.jspecify.annotations.Nullable;

/**
 * Who can name a type.
 */
enum Access {

	/** Everybody. */
	PUBLIC,

	/** Classes of its package. */
	PACKAGE,

	/** Nobody in the package that asks. */
	NOBODY,

	/** Nobody: a subclass says which type it is. */
	UNDECIDED;

	/**
	 * Who can name a type and all that it is made of.
	 * @param type the type; null for none
	 * @param from the package of who wants to
	 */
	static Access to(@Nullable TypeMirror type, PackageElement from, Model model) {
		if (type instanceof TypeVariable) {
			return UNDECIDED;
		}
		if (type instanceof ArrayType array) {
			return to(array.getComponentType(), from, model);
		}
		if (type instanceof WildcardType wildcard) {
			return narrowest(
					Stream.of(to(wildcard.getExtendsBound(), from, model), to(wildcard.getSuperBound(), from, model)));
		}
		if (type instanceof DeclaredType declared) {
			Stream<Access> arguments = declared.getTypeArguments().stream().map((one) -> to(one, from, model));
			Stream<Access> itself = Stream.of(to(declared.asElement(), from, model),
					to(declared.getEnclosingType(), from, model));
			return narrowest(Stream.concat(itself, arguments));
		}
		return PUBLIC;
	}

	private static Access to(Element type, PackageElement from, Model model) {
		Access access = PUBLIC;
		Element element = type;
		while (element != null && element.getKind() != ElementKind.PACKAGE) {
			if (element.getModifiers().contains(Modifier.PRIVATE)) {
				return NOBODY;
			}
			if (!element.getModifiers().contains(Modifier.PUBLIC)) {
				access = PACKAGE;
			}
			element = element.getEnclosingElement();
		}
		boolean isElsewhere = !model.elements().getPackageOf(type).equals(from);
		return (access == PACKAGE && isElsewhere) ? NOBODY : access;
	}

	private static Access narrowest(Stream<Access> all) {
		return all.max(Comparator.naturalOrder()).orElse(PUBLIC);
	}

}
