package io.jobqueue.spring.handler;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.springframework.core.ResolvableType;

/**
 * What a class and those that it inherits from say of their type variables. Spring's own
 * resolution makes a raw class of a variable, and so a list of maps of a list of records.
 */
final class TypeVariables {

	private final Map<TypeVariable<?>, Type> known = new HashMap<>();

	private TypeVariables() {
	}

	static TypeVariables of(Class<?> type) {
		TypeVariables variables = new TypeVariables();
		variables.addAncestors(type);
		return variables;
	}

	private void addAncestors(Class<?> type) {
		add(type.getGenericSuperclass());
		Arrays.stream(type.getGenericInterfaces()).forEach(this::add);
	}

	private void add(Type ancestor) {
		if (ancestor instanceof ParameterizedType parameterized) {
			Class<?> raw = (Class<?>) parameterized.getRawType();
			for (int i = 0; i < raw.getTypeParameters().length; i++) {
				this.known.put(raw.getTypeParameters()[i], resolved(parameterized.getActualTypeArguments()[i]));
			}
			addAncestors(raw);
		}
		else if (ancestor instanceof Class<?> raw) {
			addAncestors(raw);
		}
	}

	/**
	 * Replaces the variables in a type by what they are.
	 * @return the type; with the variables that are not known
	 */
	Type resolved(Type type) {
		if (type instanceof TypeVariable<?> variable) {
			return this.known.getOrDefault(variable, variable);
		}
		if (type instanceof WildcardType wildcard) {
			return resolved((wildcard.getLowerBounds().length > 0) ? wildcard.getLowerBounds()[0]
					: wildcard.getUpperBounds()[0]);
		}
		if (type instanceof GenericArrayType array) {
			Type component = resolved(array.getGenericComponentType());
			return (component instanceof Class<?> raw) ? raw.arrayType() : array;
		}
		if (type instanceof ParameterizedType parameterized) {
			return ResolvableType.forClassWithGenerics((Class<?>) parameterized.getRawType(),
					Arrays.stream(parameterized.getActualTypeArguments())
						.map((argument) -> ResolvableType.forType(resolved(argument)))
						.toArray(ResolvableType[]::new))
				.getType();
		}
		return type;
	}

}
