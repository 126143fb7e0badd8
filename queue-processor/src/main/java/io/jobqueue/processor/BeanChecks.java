package io.jobqueue.processor;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

import io.jobqueue.JobHandler;

/**
 * What a method and its class say to Spring. Annotations are known by their names: the
 * application need not have their libraries.
 */
final class BeanChecks {

	private static final String ASYNC = "org.springframework.scheduling.annotation.Async";

	private static final String COMPONENT = "org.springframework.stereotype.Component";

	private static final String SCOPE = "org.springframework.context.annotation.Scope";

	private static final String TRANSACTIONAL = "org.springframework.transaction.annotation.Transactional";

	private static final String TRANSACTIONAL_OF_JAKARTA = "jakarta.transaction.Transactional";

	/** Those that Spring knows, too: its registry of reactive types. */
	private static final List<String> READY_LATER = List.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Flow.Publisher",
			"io.reactivex.rxjava3.core.Observable", "io.reactivex.rxjava3.core.Single",
			"io.reactivex.rxjava3.core.Maybe", "io.reactivex.rxjava3.core.Completable", "io.smallrye.mutiny.Uni",
			"io.smallrye.mutiny.Multi", "kotlinx.coroutines.Deferred", "kotlinx.coroutines.flow.Flow");

	private static final String PUBLISHER = "org.reactivestreams.Publisher";

	/** Spring knows publishers if this is there. */
	private static final String REACTOR = "reactor.core.publisher.Flux";

	private final Model model;

	BeanChecks(Model model) {
		this.model = model;
	}

	/**
	 * Whether a method is marked as a handler by an annotation of its own, which is
	 * marked so; or overrides one that is marked.
	 */
	boolean isHandlerByAnother(ExecutableElement method) {
		return isHandler(method) || overridden(method).anyMatch(BeanChecks::isHandler);
	}

	private static boolean isHandler(Element method) {
		return Model.find(method, JobHandler.class.getName()).isPresent();
	}

	/**
	 * A class with all that it inherits from, however often each is met.
	 */
	private Stream<TypeElement> withAncestors(TypeElement type) {
		return Stream.concat(Stream.of(type),
				this.model.types()
					.directSupertypes(type.asType())
					.stream()
					.map((above) -> (TypeElement) ((DeclaredType) above).asElement())
					.flatMap(this::withAncestors));
	}

	/**
	 * The methods that a method overrides, in classes and interfaces.
	 */
	private Stream<ExecutableElement> overridden(ExecutableElement method) {
		TypeElement type = Model.classWith(method);
		return withAncestors(type)
			.flatMap((ancestor) -> ElementFilter.methodsIn(ancestor.getEnclosedElements()).stream())
			.filter((other) -> this.model.elements().overrides(method, other, type));
	}

	private boolean isMarkedAsync(ExecutableElement method) {
		Stream<? extends Element> methods = Stream.concat(Stream.of(method), overridden(method));
		return Stream.concat(methods, withAncestors(Model.classWith(method)))
			.anyMatch((element) -> Model.find(element, ASYNC).isPresent());
	}

	boolean isAsynchronous(ExecutableElement method) {
		TypeMirror result = method.getReturnType();
		return isMarkedAsync(method) || READY_LATER.stream().anyMatch((later) -> this.model.isA(result, later))
				|| (this.model.isA(result, PUBLISHER) && this.model.elements().getTypeElement(REACTOR) != null);
	}

	/**
	 * The scope of the bean that the method's class is. If it is made by a method of a
	 * configuration, that says the scope.
	 */
	String scopeOf(ExecutableElement method) {
		Element type = Model.classWith(method);
		return Model.find(type, SCOPE)
			.filter((scope) -> Model.find(type, COMPONENT).isPresent())
			.map((scope) -> firstText(scope, "scopeName", "value"))
			.orElse("");
	}

	/**
	 * The propagation that the method says, or else its class; empty if it is for another
	 * transaction manager. Annotations that have {@code @Transactional} themselves may
	 * replace what it says, so these are left to start-up.
	 */
	String propagationOf(ExecutableElement method) {
		for (Element element : List.of(method, Model.classWith(method))) {
			Optional<? extends AnnotationMirror> own = Model.direct(element, TRANSACTIONAL);
			if (own.isPresent()) {
				return firstText(own.get(), "transactionManager", "value").isEmpty()
						? this.model.text(own.get(), "propagation") : "";
			}
			Optional<? extends AnnotationMirror> jakarta = Model.direct(element, TRANSACTIONAL_OF_JAKARTA);
			if (jakarta.isPresent()) {
				return this.model.text(jakarta.get(), "value");
			}
		}
		return "";
	}

	private String firstText(AnnotationMirror mirror, String one, String other) {
		String text = this.model.text(mirror, one);
		return text.isEmpty() ? this.model.text(mirror, other) : text;
	}

}
