package io.jobqueue.spring.handler;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import org.jspecify.annotations.Nullable;

/**
 * The application's classes that Jackson may have to do with when it reads a payload: its
 * own, those of what it holds, of elements of arrays, and the ones that may stand for
 * them.
 */
final class PayloadClasses {

	private static final List<String> OF_OTHERS = List.of("java.", "javax.", "jakarta.", "kotlin.", "scala.",
			"org.springframework.", "tools.jackson.", "com.fasterxml.");

	private final Set<Class<?>> found = new LinkedHashSet<>();

	private final Set<Type> seen = new LinkedHashSet<>();

	private PayloadClasses() {
	}

	/**
	 * Finds them.
	 * @param payload what a payload is read as
	 */
	static Set<Class<?>> of(Type payload) {
		PayloadClasses classes = new PayloadClasses();
		classes.add(payload);
		return classes.found;
	}

	private void add(@Nullable Type type) {
		if (type == null || !this.seen.add(type)) {
			return;
		}
		if (type instanceof Class<?> one) {
			add(one);
		}
		else if (type instanceof GenericArrayType array) {
			add(array.getGenericComponentType());
		}
		else if (type instanceof ParameterizedType parameterized) {
			add(parameterized.getRawType());
			add(parameterized.getActualTypeArguments());
		}
		else if (type instanceof WildcardType wildcard) {
			add(wildcard.getUpperBounds());
		}
		else if (type instanceof TypeVariable<?> variable) {
			add(variable.getBounds());
		}
	}

	private void add(Type[] types) {
		Stream.of(types).forEach(this::add);
	}

	private void add(Class<?> type) {
		if (type.isArray()) {
			add((Type) type.getComponentType());
			return;
		}
		if (type.isPrimitive() || OF_OTHERS.stream().anyMatch(type.getName()::startsWith)) {
			return;
		}
		this.found.add(type);
		add(type.getGenericSuperclass());
		if (type.isSealed()) {
			add(type.getPermittedSubclasses());
		}
		Stream
			.concat(Stream.of(type), Stream.of(type.getDeclaredFields(), type.getDeclaredMethods()).flatMap(Stream::of))
			.forEach(this::addSubTypes);
		for (Field field : type.getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers())) {
				add(field.getGenericType());
			}
		}
		// Of creators, setters and getters.
		Stream.of(type.getDeclaredConstructors(), type.getDeclaredMethods())
			.flatMap(Stream::of)
			.filter((member) -> !member.isSynthetic())
			.forEach((member) -> add(member.getGenericParameterTypes()));
		Stream.of(type.getDeclaredMethods())
			.filter((method) -> method.getParameterCount() == 0 && !method.isSynthetic())
			.forEach((method) -> add(method.getGenericReturnType()));
	}

	private void addSubTypes(AnnotatedElement element) {
		JsonSubTypes named = element.getAnnotation(JsonSubTypes.class);
		if (named != null) {
			Stream.of(named.value()).forEach((one) -> add((Type) one.value()));
		}
	}

}
