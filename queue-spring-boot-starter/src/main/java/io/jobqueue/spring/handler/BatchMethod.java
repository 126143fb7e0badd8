package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Supplier;

import io.jobqueue.JobBatch;
import io.jobqueue.PayloadFormat;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.spring.payload.UnreadablePayload;
import io.jobqueue.worker.Handler.ChunkInvocation;
import io.jobqueue.worker.Handler.ChunkItem;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * A bean's method as the code that runs the jobs of a chunk.
 */
final class BatchMethod implements ChunkInvocation {

	private final Supplier<Object> bean;

	private final Method method;

	private final PayloadFormat payloads;

	private final Type itemType;

	private final boolean takesBatch;

	/**
	 * Creates it.
	 * @param bean the bean, looked up for each call
	 * @param method the method as it is called
	 * @param payloads how payloads are read
	 * @param parameter the type of its only parameter
	 */
	BatchMethod(Supplier<Object> bean, Method method, PayloadFormat payloads, Type parameter) {
		this.bean = bean;
		this.method = method;
		this.payloads = payloads;
		ResolvableType type = ResolvableType.forType(parameter);
		this.itemType = type.getGeneric(0).getType();
		this.takesBatch = type.resolve() == JobBatch.class;
		method.setAccessible(true);
	}

	/**
	 * The type of the only parameter of a batch handler.
	 * @param method the method
	 * @param beanType the class of its bean, which may say what a type variable is
	 * @throws IllegalArgumentException if it cannot be one
	 */
	static Type parameterOf(Method method, Class<?> beanType) {
		Type[] parameters = method.getGenericParameterTypes();
		Type type = (parameters.length == 1) ? TypeVariables.of(beanType).resolved(parameters[0]) : Void.class;
		Class<?> raw = ResolvableType.forType(type).resolve(Object.class);
		ParameterRules.refuseUnlessChunk(raw == List.class || raw == JobBatch.class);
		Type item = ResolvableType.forType(type).getGeneric(0).getType();
		if (item == ResolvableType.NONE.getType() || HandlerArguments.hasUnknown(item)) {
			throw ParameterRules.unknownItems(raw.getSimpleName());
		}
		return type;
	}

	@Override
	public Type payloadType() {
		return this.itemType;
	}

	@Override
	public Object read(@Nullable String payload) {
		Object item = (payload != null) ? this.payloads.read(payload, this.itemType) : null;
		if (item == null) {
			throw UnreadablePayload.because("The job's payload is " + ((payload != null) ? "null" : "missing")
					+ ", but its handler expects a " + this.itemType.getTypeName());
		}
		return item;
	}

	@Override
	public void invoke(List<ChunkItem> items) throws Exception {
		HandlerMethod.call(this.method, this.bean.get(),
				this.takesBatch ? new Batch(List.copyOf(items)) : items.stream().map(ChunkItem::payload).toList());
	}

	/**
	 * Names the method in what is logged of its jobs.
	 */
	@Override
	public String toString() {
		return this.method.toString();
	}

	/**
	 * What the method gets.
	 */
	private record Batch(List<JobBatch.Entry<Object>> entries) implements JobBatch<Object> {

	}

}
