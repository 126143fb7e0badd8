package io.jobqueue.processor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.annotation.processing.Filer;
import javax.annotation.processing.FilerException;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.jobqueue.NewJob;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Writes the factory of a class: a method for each of its handlers, which makes a job for
 * it.
 */
final class FactoryWriter {

	private static final String SUFFIX = "Jobs";

	private static final String RETURNS = "@return the new job\n";

	private static final ClassName GENERATED = ClassName.get("javax.annotation.processing", "Generated");

	private final Filer filer;

	private final Model model;

	private final Report report;

	FactoryWriter(Filer filer, Model model, Report report) {
		this.filer = filer;
		this.model = model;
		this.report = report;
	}

	void write(HandlerClass type, List<CheckedHandler> handlers) {
		List<MethodSpec> methods = methods(type, handlers);
		if (methods.isEmpty()) {
			return;
		}
		PackageElement home = this.model.elements().getPackageOf(type.type());
		String name = nameOf(type.type());
		try {
			JavaFile.builder(home.getQualifiedName().toString(), factory(type.type(), name, methods))
				.skipJavaLangImports(true)
				.indent("\t")
				.build()
				.writeTo(this.filer);
		}
		catch (FilerException ex) {
			this.report.error("The factory of this class's jobs would be " + name
					+ ", and there is such a class. Give one of them another name, or switch factories off "
					+ "(-Ajobqueue.factories=false).", type.type());
		}
		catch (IOException ex) {
			this.report.error("The factory " + name + " cannot be written: " + ex, type.type());
		}
	}

	private TypeSpec factory(TypeElement type, String name, List<MethodSpec> methods) {
		TypeSpec.Builder factory = TypeSpec.classBuilder(name)
			.addOriginatingElement(type)
			.addModifiers(Modifier.FINAL)
			.addJavadoc("Makes the jobs that {@code $L} runs.\n", type.getQualifiedName())
			// Of payloads, which are the application's own.
			.addAnnotation(AnnotationSpec.builder(SuppressWarnings.class)
				.addMember("value", "{ $S, $S, $S, $S }", "deprecation", "removal", "rawtypes", "exports")
				.build())
			.addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build())
			.addMethods(methods);
		if (methods.stream().anyMatch((method) -> method.modifiers().contains(Modifier.PUBLIC))) {
			factory.addModifiers(Modifier.PUBLIC);
		}
		// A module need not require the one that this is in.
		if (isInNoModule(type)) {
			factory.addAnnotation(AnnotationSpec.builder(GENERATED)
				.addMember("value", "$S", JobHandlerProcessor.class.getName())
				.build());
		}
		return factory.build();
	}

	private boolean isInNoModule(TypeElement type) {
		ModuleElement module = this.model.elements().getModuleOf(type);
		return module == null || module.isUnnamed();
	}

	/**
	 * {@code Outer_InnerJobs}, without the package.
	 */
	private String nameOf(TypeElement type) {
		String name = this.model.elements().getBinaryName(type).toString();
		return name.substring(name.lastIndexOf('.') + 1).replace('$', '_') + SUFFIX;
	}

	private List<MethodSpec> methods(HandlerClass type, List<CheckedHandler> handlers) {
		PackageElement home = this.model.elements().getPackageOf(type.type());
		List<CheckedHandler> made = handlers.stream()
			.filter((handler) -> !handler.ofDeadJobs() && isType(handler))
			.filter((handler) -> isMade(handler, home))
			.toList();
		Map<CheckedHandler, String> names = FactoryNames.of(made);
		List<MethodSpec> methods = new ArrayList<>();
		for (CheckedHandler handler : made) {
			String name = names.get(handler);
			if (name == null) {
				this.report
					.error("The job type '" + handler.type() + "' and the method's name give no name for a method of "
							+ nameOf(type.type()) + ", or that of another one too. Rename one of them, or switch "
							+ "factories off (-Ajobqueue.factories=false).", handler.method());
			}
			else {
				methods.addAll(methods(name, handler, home));
			}
		}
		return methods;
	}

	/** What is no type was refused already. */
	private static boolean isType(CheckedHandler handler) {
		try {
			return handler.isTypeOfProperty() || NewJob.of(handler.type()) != null;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	private boolean isMade(CheckedHandler handler, PackageElement home) {
		TypeMirror type = handler.payload().type();
		Access access = Access.to(type, home, this.model);
		if (access == Access.NOBODY) {
			this.report.note("No factory makes jobs of the type '" + handler.type() + "': " + type
					+ " cannot be named by another class of the package", handler.method());
		}
		return access == Access.PUBLIC || access == Access.PACKAGE;
	}

	private List<MethodSpec> methods(String name, CheckedHandler handler, PackageElement home) {
		List<MethodSpec> methods = new ArrayList<>();
		TypeMirror payload = handler.payload().type();
		if (payload == null || handler.payload().isOptional()) {
			methods.add(method(name, handler, Access.PUBLIC).addJavadoc(RETURNS)
				.addStatement("return $T.of($L)", NewJob.class, type(handler))
				.build());
		}
		if (payload != null) {
			methods.add(withPayload(name, handler, payload, Access.to(payload, home, this.model)));
		}
		return methods;
	}

	private MethodSpec withPayload(String name, CheckedHandler handler, TypeMirror payload, Access access) {
		TypeName type = TypeName.get(payload);
		MethodSpec.Builder method = method(name, handler, access).addParameter(type, "payload")
			.addJavadoc("@param payload what the job carries\n")
			.addJavadoc(RETURNS);
		boolean isGeneric = !this.model.types().isSameType(payload, this.model.types().erasure(payload));
		return (isGeneric
				? method.addStatement("return $T.of($L, payload, new $T() { })", NewJob.class, type(handler),
						ParameterizedTypeName.get(ClassName.get(ParameterizedTypeReference.class), type))
				: method.addStatement("return $T.of($L, payload)", NewJob.class, type(handler)))
			.build();
	}

	private static MethodSpec.Builder method(String name, CheckedHandler handler, Access access) {
		MethodSpec.Builder method = MethodSpec.methodBuilder(name).addModifiers(Modifier.STATIC).returns(NewJob.class);
		if (access == Access.PUBLIC) {
			method.addModifiers(Modifier.PUBLIC);
		}
		if (handler.isTypeOfProperty()) {
			return method.addJavadoc("A job of a type that a property says.\n\n@param type the type\n")
				.addParameter(String.class, "type");
		}
		return method.addJavadoc("A job of the type {@code $L}.\n\n", handler.type());
	}

	private static String type(CheckedHandler handler) {
		return handler.isTypeOfProperty() ? "type" : '"' + handler.type() + '"';
	}

}
