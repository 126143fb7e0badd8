package io.jobqueue.guide;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.jobqueue.processor.JobHandlerProcessor;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles the code of guides, with the processor, and runs the tests in it. Each block
 * of Java is one type, as it stands in the guide; package and imports are added.
 */
class TestedGuideTests {

	private static final Path GUIDES = Path.of("..", "docs", "guides");

	private static final Pattern BLOCK = Pattern.compile("^```(java|sql)\\R(.*?)^```$",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern TYPE = Pattern.compile(
			"^(?:public |final |abstract |sealed )*" + "(?:class|record|enum|interface|@interface) (\\w+)",
			Pattern.MULTILINE);

	private static final String IMPORTS = """
			import java.time.*;
			import java.util.*;
			import java.util.concurrent.*;
			import io.jobqueue.*;
			import io.jobqueue.test.*;
			import org.junit.jupiter.api.AfterEach;
			import org.junit.jupiter.api.BeforeEach;
			import org.junit.jupiter.api.Test;
			import org.springframework.beans.factory.annotation.Autowired;
			import org.springframework.boot.autoconfigure.SpringBootApplication;
			import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
			import org.springframework.boot.test.context.SpringBootTest;
			import org.springframework.context.ApplicationEventPublisher;
			import org.springframework.context.annotation.*;
			import org.springframework.context.event.EventListener;
			import org.springframework.jdbc.core.simple.JdbcClient;
			import org.springframework.stereotype.*;
			import org.springframework.test.context.bean.override.mockito.MockitoBean;
			import org.springframework.transaction.annotation.Transactional;
			import org.springframework.transaction.event.*;
			import static org.assertj.core.api.Assertions.*;
			import static org.mockito.Mockito.*;
			""";

	@TempDir
	Path folder;

	@ParameterizedTest
	@ValueSource(strings = { "testing", "transactional-outbox", "multi-tenant", "from-async-and-scheduled",
			"from-quartz", "from-db-scheduler", "from-jobrunr", "from-a-table" })
	void theGuideCompilesAndItsTestsPass(String name) throws Exception {
		String text = Files.readString(GUIDES.resolve(name + ".md"));
		String packageName = "guide." + name.replace('-', '_');
		Map<String, String> types = new TreeMap<>();
		List<String> scripts = new ArrayList<>();
		Matcher block = BLOCK.matcher(text);
		while (block.find()) {
			if (block.group(1).equals("java")) {
				Matcher type = TYPE.matcher(block.group(2));
				assertThat(type.find()).as("a type in " + block.group(2)).isTrue();
				assertThat(types.put(type.group(1), block.group(2))).as(type.group(1)).isNull();
			}
			else if (block.group(2).startsWith("-- run")) {
				scripts.add(block.group(2));
			}
		}
		types.putIfAbsent("Application", "@SpringBootApplication\nclass Application {\n}\n");
		Path classes = compiled(packageName, types);
		Files.writeString(classes.resolve("schema.sql"), scripts.isEmpty() ? "SELECT 1;" : String.join("\n", scripts));
		List<String> tests = types.keySet().stream().filter((type) -> type.endsWith("Tests")).toList();
		assertThat(tests).as("tests in the guide").isNotEmpty();
		run(classes, tests.stream().map((type) -> packageName + "." + type).toList());
	}

	private Path compiled(String packageName, Map<String, String> types) throws IOException {
		Path sources = Files.createDirectories(this.folder.resolve("sources"));
		Path classes = Files.createDirectories(this.folder.resolve("classes"));
		for (Map.Entry<String, String> type : types.entrySet()) {
			Files.writeString(sources.resolve(type.getKey() + ".java"),
					"package " + packageName + ";\n" + IMPORTS + type.getValue());
		}
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null)) {
			List<Path> all = types.keySet().stream().map((type) -> sources.resolve(type + ".java")).toList();
			JavaCompiler.CompilationTask task = compiler.getTask(null, files, problems, List.of("-d",
					classes.toString(), "-parameters", "-classpath", System.getProperty("java.class.path")), null,
					files.getJavaFileObjectsFromPaths(all));
			task.setProcessors(List.of(new JobHandlerProcessor()));
			boolean done = task.call();
			assertThat(done)
				.as(problems.getDiagnostics().stream().map(Object::toString).collect(Collectors.joining("\n")))
				.isTrue();
		}
		return classes;
	}

	private static void run(Path classes, List<String> tests) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes.toUri().toURL() }, before)) {
			thread.setContextClassLoader(loader);
			LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
				.selectors(tests.stream().map((test) -> DiscoverySelectors.selectClass(loader, test)).toList())
				.build();
			SummaryGeneratingListener listener = new SummaryGeneratingListener();
			Launcher launcher = LauncherFactory.create();
			launcher.execute(request, listener);
			TestExecutionSummary summary = listener.getSummary();
			assertThat(summary.getFailures())
				.as("failures: " + summary.getFailures()
					.stream()
					.map((failure) -> failure.getTestIdentifier().getDisplayName() + ": " + failure.getException())
					.toList())
				.isEmpty();
			assertThat(summary.getTestsSucceededCount()).isPositive().isEqualTo(summary.getTestsFoundCount());
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

}
