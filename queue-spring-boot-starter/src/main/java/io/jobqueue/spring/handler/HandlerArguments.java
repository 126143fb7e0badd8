package io.jobqueue.spring.handler;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.rule.ParameterRules.Parameter;
import io.jobqueue.spring.payload.UnreadablePayload;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * What a handler's method is called with: the payload, the context, or both, in the order
 * of its parameters.
 */
final class HandlerArguments {

	private final PayloadFormat payloads;

	private final List<Parameter> parameters;

	private final @Nullable Type payloadType;

	private HandlerArguments(PayloadFormat payloads, List<Parameter> parameters, @Nullable Type payloadType) {
		this.payloads = payloads;
		this.parameters = parameters;
		this.payloadType = payloadType;
	}

	/**
	 * Looks at a method's parameters.
	 * @param method the method
	 * @param beanType the class of its bean, which may say what a type variable is
	 * @param payloads how payloads are read
	 * @throws IllegalArgumentException if they are too many, or have a type that is not
	 * known
	 */
	static HandlerArguments of(Method method, Class<?> beanType, PayloadFormat payloads) {
		return of(method, beanType, payloads, false);
	}

	/**
	 * Looks at the parameters of a method that is called for dead jobs, which may have
	 * one of type {@link Job} as well.
	 */
	static HandlerArguments ofDeadJobs(Method method, Class<?> beanType, PayloadFormat payloads) {
		return of(method, beanType, payloads, true);
	}

	private static HandlerArguments of(Method method, Class<?> beanType, PayloadFormat payloads, boolean ofDeadJobs) {
		TypeVariables variables = TypeVariables.of(beanType);
		Type[] written = method.getGenericParameterTypes();
		List<Type> types = Arrays.stream(written).map(variables::resolved).toList();
		List<Parameter> parameters = types.stream().map(HandlerArguments::parameterOf).toList();
		ParameterRules.check(parameters, ofDeadJobs);
		Type payloadType = null;
		for (int i = 0; i < written.length; i++) {
			if (parameters.get(i) == Parameter.PAYLOAD) {
				payloadType = known(types.get(i), written[i]);
			}
			else if (parameters.get(i) == Parameter.OPTIONAL_PAYLOAD) {
				payloadType = known(contentOf(types.get(i)), written[i]);
			}
		}
		return new HandlerArguments(payloads, parameters, payloadType);
	}

	private static Parameter parameterOf(Type type) {
		Class<?> raw = ResolvableType.forType(type).resolve();
		return (raw != null) ? Parameter.of(raw.getName()) : Parameter.PAYLOAD;
	}

	private static Type contentOf(Type optional) {
		return (optional instanceof ParameterizedType parameterized) ? parameterized.getActualTypeArguments()[0]
				: Object.class;
	}

	/**
	 * Refuses a type variable of which nothing is known: Jackson would read it as a map,
	 * and the handler would fail where it uses it.
	 */
	private static Type known(Type type, Type written) {
		if (hasUnknown(type)) {
			throw ParameterRules.unknownPayload(written.getTypeName());
		}
		return type;
	}

	static boolean hasUnknown(Type type) {
		if (type instanceof TypeVariable<?> variable) {
			Type bound = variable.getBounds()[0];
			return bound == Object.class || (bound instanceof TypeVariable<?> && hasUnknown(bound));
		}
		if (type instanceof ParameterizedType parameterized) {
			return Arrays.stream(parameterized.getActualTypeArguments()).anyMatch(HandlerArguments::hasUnknown);
		}
		if (type instanceof WildcardType wildcard) {
			return wildcard.getUpperBounds()[0] instanceof TypeVariable<?> bound && hasUnknown(bound);
		}
		return type instanceof GenericArrayType array && hasUnknown(array.getGenericComponentType());
	}

	/**
	 * What the payload is read as.
	 * @return the type, for an Optional that of its value; null if there is no parameter
	 * for the payload
	 */
	@Nullable Type payloadType() {
		return this.payloadType;
	}

	/**
	 * What the parameters are, in their order.
	 */
	List<Parameter> parameters() {
		return this.parameters;
	}

	/**
	 * The values to call the method with.
	 * @param text the payload as stored, or null if there is none
	 * @param context the job
	 * @param dead the dead job; null if the method is not called for one
	 * @throws PermanentJobException if the payload is missing or cannot be read
	 */
	@Nullable Object[] of(@Nullable String text, JobContext context, @Nullable Job dead) {
		@Nullable Object[] values = new Object[this.parameters.size()];
		for (int i = 0; i < values.length; i++) {
			values[i] = switch (this.parameters.get(i)) {
				case CONTEXT -> context;
				case DEAD_JOB -> dead;
				case OPTIONAL_PAYLOAD -> Optional.ofNullable((dead != null) ? readable(text) : payload(text));
				case PAYLOAD -> required(payload(text), text);
				case CONTINUATION -> throw new IllegalStateException("Is refused at start-up");
			};
		}
		return values;
	}

	private @Nullable Object payload(@Nullable String text) {
		return (text != null && this.payloadType != null) ? this.payloads.read(text, this.payloadType) : null;
	}

	/**
	 * What cannot be read may be what the job is dead for. The text is in the dead job.
	 */
	private @Nullable Object readable(@Nullable String text) {
		try {
			return payload(text);
		}
		catch (PermanentJobException ex) {
			return null;
		}
	}

	private Object required(@Nullable Object value, @Nullable String text) {
		if (value == null) {
			throw UnreadablePayload.because(
					"The job's payload is " + ((text != null) ? "null" : "missing") + ", but its handler expects a "
							+ ((this.payloadType != null) ? this.payloadType.getTypeName() : "payload"));
		}
		return value;
	}

}
