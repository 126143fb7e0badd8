package io.jobqueue.processor;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.annotation.processing.Filer;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Gradle demands of a processor that looks at each class by itself: each file has
 * one class that it is of, and all is written through the compiler's {@link Filer}.
 */
class IncrementalTests {

	@TempDir
	Path folder;

	@Test
	void theDescriptorSaysIsolating() throws IOException {
		try (InputStream descriptor = getClass()
			.getResourceAsStream("/META-INF/gradle/incremental.annotation.processors")) {
			assertThat(descriptor).isNotNull();
			assertThat(new String(descriptor.readAllBytes()).strip())
				.isEqualTo(JobHandlerProcessor.class.getName() + ",isolating");
		}
	}

	@Test
	void eachFileIsOfOneClass() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class One {

					record Own() { }

					@JobHandler("one") void handle(Two.Shared payload) { }

					static class Nested { @JobHandler("nested") void handle(Own own) { } }

				}
				""").source("""
				package app;

				import io.jobqueue.*;

				class Two {

					record Shared() { }

					@JobHandler("two") void handle() { }

				}
				""");
		List<String> written = new ArrayList<>();
		Processor watched = watched(new JobHandlerProcessor(), written);
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
			JavaCompiler.CompilationTask task = compiler.getTask(null, files, null,
					List.of("-classpath", Compilation.classPathWithout("lombok", "mapstruct"), "-d",
							this.folder.resolve("classes").toString()),
					null, files.getJavaFileObjects(this.folder.resolve("src/app/One.java"),
							this.folder.resolve("src/app/Two.java")));
			task.setProcessors(List.of(watched));
			assertThat(task.call()).isTrue();
		}
		assertThat(written).containsExactlyInAnyOrder("app.OneJobs of app.One",
				"META-INF/jobqueue/app.One.handlers of app.One", "app.One_NestedJobs of app.One.Nested",
				"META-INF/jobqueue/app.One$Nested.handlers of app.One.Nested", "app.TwoJobs of app.Two",
				"META-INF/jobqueue/app.Two.handlers of app.Two");
		assertThat(compilation.resources()).hasSize(3);
	}

	/** The same processor, where each file and what it is of is noted. */
	private static Processor watched(Processor processor, List<String> written) {
		return proxy(Processor.class, processor, (method, arguments) -> {
			if (method.equals("init")) {
				ProcessingEnvironment real = (ProcessingEnvironment) arguments[0];
				arguments[0] = proxy(ProcessingEnvironment.class, real, (getter, none) -> getter.equals("getFiler")
						? new Object[] { watched(real.getFiler(), written) } : null);
			}
			return null;
		});
	}

	private static Filer watched(Filer filer, List<String> written) {
		return proxy(Filer.class, filer, (method, arguments) -> {
			if (method.startsWith("create")) {
				boolean isResource = method.equals("createResource");
				Element[] of = (Element[]) arguments[arguments.length - 1];
				written.add(arguments[isResource ? 2 : 0] + " of " + String.join(" and ",
						Arrays.stream(of).map((one) -> ((TypeElement) one).getQualifiedName().toString()).toList()));
			}
			return null;
		});
	}

	/**
	 * Passes calls on, unless the watcher returns what they are to return.
	 */
	private static <T> T proxy(Class<T> type, T target, Watcher watcher) {
		return type.cast(Proxy.newProxyInstance(IncrementalTests.class.getClassLoader(), new Class<?>[] { type },
				(self, method, arguments) -> {
					Object[] instead = watcher.called(method.getName(), arguments);
					try {
						return (instead != null) ? instead[0] : method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				}));
	}

	@Test
	void noAnnotationIsClaimed() {
		JobHandlerProcessor processor = new JobHandlerProcessor();
		assertThat(processor.getSupportedAnnotationTypes())
			.isEqualTo(Set.of("io.jobqueue.JobHandler", "io.jobqueue.DeadJobHandler", "io.jobqueue.Recurring"));
	}

	private interface Watcher {

		Object[] called(String method, Object[] arguments);

	}

}
