package io.jobqueue.spring.handler;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * What a handler's method is called with: the payload, the context, or both, in the order
 * of its parameters.
 */
final class HandlerArguments {

	private final PayloadFormat payloads;

	private final Argument[] arguments;

	private final @Nullable Type payloadType;

	private HandlerArguments(PayloadFormat payloads, Argument[] arguments, @Nullable Type payloadType) {
		this.payloads = payloads;
		this.arguments = arguments;
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
		Class<?>[] parameters = method.getParameterTypes();
		Argument[] arguments = new Argument[parameters.length];
		TypeVariables variables = TypeVariables.of(beanType);
		Type payloadType = null;
		Set<Argument.Kind> kinds = EnumSet.noneOf(Argument.Kind.class);
		for (int i = 0; i < parameters.length; i++) {
			Type type = variables.resolved(method.getGenericParameterTypes()[i]);
			arguments[i] = Argument.of(parameters[i], type, ofDeadJobs);
			if (!kinds.add(arguments[i].kind())) {
				throw new IllegalArgumentException("it has too many parameters; give it at most one for the payload"
						+ (ofDeadJobs ? ", one of type Job" : "")
						+ " and one of type JobContext. Other things are injected into the bean");
			}
			if (arguments[i].kind() == Argument.Kind.PAYLOAD) {
				payloadType = known((arguments[i] == Argument.OPTIONAL) ? contentOf(type) : type,
						method.getGenericParameterTypes()[i]);
			}
		}
		return new HandlerArguments(payloads, arguments, payloadType);
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
			throw new IllegalArgumentException("its payload has the type " + written.getTypeName()
					+ ", and its bean's class does not say which type that is; let a subclass say so, as in "
					+ "class MailJobs extends Jobs<Mail>, or name the type in the method");
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
	 * Whether a job without a payload would be dead at once.
	 */
	boolean needPayload() {
		return Arrays.asList(this.arguments).contains(Argument.PAYLOAD);
	}

	/**
	 * The values to call the method with.
	 * @param text the payload as stored, or null if there is none
	 * @param context the job
	 * @param dead the dead job; null if the method is not called for one
	 * @throws PermanentJobException if the payload is missing or cannot be read
	 */
	@Nullable Object[] of(@Nullable String text, JobContext context, @Nullable Job dead) {
		@Nullable Object[] values = new Object[this.arguments.length];
		for (int i = 0; i < values.length; i++) {
			values[i] = switch (this.arguments[i]) {
				case CONTEXT -> context;
				case DEAD_JOB -> dead;
				case OPTIONAL -> Optional.ofNullable((dead != null) ? readable(text) : payload(text));
				case PAYLOAD -> required(payload(text), text);
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
			throw new PermanentJobException(
					"The job's payload is " + ((text != null) ? "null" : "missing") + ", but its handler expects a "
							+ ((this.payloadType != null) ? this.payloadType.getTypeName() : "payload"));
		}
		return value;
	}

	private enum Argument {

		CONTEXT(Kind.CONTEXT), DEAD_JOB(Kind.DEAD_JOB), OPTIONAL(Kind.PAYLOAD), PAYLOAD(Kind.PAYLOAD);

		private final Kind kind;

		Argument(Kind kind) {
			this.kind = kind;
		}

		Kind kind() {
			return this.kind;
		}

		static Argument of(Class<?> parameter, Type type, boolean ofDeadJobs) {
			if (parameter == JobContext.class) {
				return CONTEXT;
			}
			if (parameter == Job.class) {
				if (!ofDeadJobs) {
					throw new IllegalArgumentException("it has a parameter of type Job, which only the method of a "
							+ "@DeadJobHandler can have; a JobContext tells which job a handler runs");
				}
				return DEAD_JOB;
			}
			return (ResolvableType.forType(type).resolve() == Optional.class) ? OPTIONAL : PAYLOAD;
		}

		/**
		 * What a method has one of at most.
		 */
		private enum Kind {

			CONTEXT, DEAD_JOB, PAYLOAD

		}

	}

}
