package io.jobqueue.processor;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import io.jobqueue.spring.payload.JacksonPayloads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Payloads that Jackson cannot read are warned of, with the reason that start-up finds;
 * those that it can read never are.
 */
class PayloadWarningTests {

	private static final String PAYLOADS = """
			package app;

			import com.fasterxml.jackson.annotation.*;
			import java.util.*;
			import tools.jackson.databind.annotation.JsonDeserialize;

			public class Payloads {

				public interface Plain { }

				public abstract static class Abstract { public String text; }

				public sealed interface Sealed permits One { }

				public record One(String text) implements Sealed { }

				public static class TwoConstructors {
					public TwoConstructors(String text, long number) { }
					public TwoConstructors(String text, int number) { }
				}

				public static class HiddenConstructor {
					HiddenConstructor(String text, long number) { }
				}

				public static class PrivateConstructors {
					private PrivateConstructors(String text) { }
					private PrivateConstructors(String text, int number) { }
					public String text() { return ""; }
				}

				public record HoldsClasses(Class<Plain> one, Map<String, Class<Runnable>> more) { }

				public record HoldsRunnable(Runnable code) { }

				public record HoldsFunctions(List<java.util.function.Supplier<String>> code) { }

				public static class OfText {
					public OfText(String text) { }
					public OfText(String text, int number) { }
				}

				public class Inner { public String text; }

				public record Holds(List<Plain> plain) { }

				@JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Two.class))
				public interface WithTypeInfo { }

				public record Two(String text) implements WithTypeInfo { }

				public interface BelowTypeInfo extends WithTypeInfo { }

				@JsonDeserialize(as = AsImplementation.class)
				public interface As { }

				public record AsImplementation(String text) implements As { }

				public static class Bean { public String text; }

				public static class PrivateConstructor { private PrivateConstructor() { } public String text; }

				public static class OneConstructor {
					public OneConstructor(String text, int number) { }
				}

				public static class Creator {
					private Creator(String text, int number) { }
					@JsonCreator static Creator of(@JsonProperty("text") String text) { return new Creator(text, 1); }
				}

				public record HoldsAs(@JsonDeserialize(as = AsImplementation.class) Object as, Map<String, One> ones) { }

				public enum Color { RED, BLUE }

				public static class AnnotatedParameters {
					AnnotatedParameters(@JsonProperty("text") String text, @JsonProperty("number") int number) { }
				}

				public static class ValueOf {
					private ValueOf(String text, int number) { }
					public static ValueOf valueOf(@org.jspecify.annotations.NonNull String text) { return new ValueOf(text, 1); }
				}

				public abstract static class AbstractValueOf {
					public static AbstractValueOf valueOf(String text) { return null; }
				}

				public record Tree(String name, List<Tree> below) { }

			}
			""";

	@TempDir
	Path folder;

	@ParameterizedTest
	@CsvSource({ "Plain, Plain is abstract", "Abstract, Abstract is abstract", "Sealed, Sealed is abstract",
			"TwoConstructors, TwoConstructors has no constructor",
			"HiddenConstructor, HiddenConstructor has no constructor", "Inner, Inner has no constructor",
			"PrivateConstructors, PrivateConstructors has no constructor",
			"HoldsRunnable, java.lang.Runnable is abstract", "HoldsFunctions, java.util.function.Supplier is abstract",
			"Holds, Plain is abstract" })
	void whatCannotBeReadIsWarnedOf(String type, String words) throws Exception {
		Compilation compilation = compilation("Payloads." + type);
		Javac.Result result = compilation.run(Javac.OWN);
		assertThat(result.succeeded()).isTrue();
		assertThat(result.warnings()).singleElement()
			.asString()
			.startsWith("Handles.java:9: This payload cannot be read as app.Payloads." + type + ": ")
			.contains(words)
			.endsWith(". Its jobs may be dead at once");
		String atStart = problemOf(compilation, type).orElseThrow();
		assertThat(result.warnings().get(0)).contains(atStart);
	}

	@ParameterizedTest
	@CsvSource({ "WithTypeInfo", "As", "Bean", "PrivateConstructor", "OneConstructor", "Creator", "HoldsAs", "Color",
			"AnnotatedParameters", "ValueOf", "AbstractValueOf", "Tree", "One", "HoldsClasses" })
	void whatCanBeReadIsNot(String type) throws Exception {
		Compilation compilation = compilation("Payloads." + type);
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
		assertThat(problemOf(compilation, type)).isEmpty();
	}

	/** Start-up may know better, and the compiler must not say what is not so. */
	@Test
	void whereItIsNotCertainNothingIsSaid() throws Exception {
		for (String type : List.of("BelowTypeInfo", "OfText")) {
			assertThat(compilation("Payloads." + type).run(Javac.OWN).said()).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "List<Payloads.Plain>", "Optional<Payloads.Plain>", "'Map<String, List<Payloads.Plain>>'",
			"Payloads.Plain[]" })
	void elementsAreLookedAt(String type) throws Exception {
		assertThat(compilation(type).run(Javac.OWN).warnings()).singleElement()
			.asString()
			.contains("Plain is abstract");
	}

	@Test
	void theWarningCanBeSwitchedOff() throws Exception {
		for (String source : List.of(handles("@SuppressWarnings(\"jobqueue\") ", "Payloads.Plain"),
				handles("", "Payloads.Plain").replace("class Handles",
						"@SuppressWarnings(\"jobqueue\")\nclass Handles"))) {
			assertThat(new Compilation(this.folder).source(PAYLOADS).source(source).run(Javac.OWN).said()).isEmpty();
		}
	}

	@Test
	void anApplicationWithAFormatOfItsOwnSwitchesAllOff() throws Exception {
		assertThat(compilation("Payloads.Plain").options("-Ajobqueue.payloads=false").run(Javac.OWN).said()).isEmpty();
	}

	@Test
	void theItemsOfAChunkAreLookedAt() throws Exception {
		Javac.Result result = new Compilation(this.folder).source(PAYLOADS)
			.source(handles("", "JobBatch<Payloads.Plain>").replace("(\"any\")", "(value = \"any\", batchSize = 9)"))
			.run(Javac.OWN);
		assertThat(result.warnings()).singleElement().asString().contains("Plain is abstract");
	}

	private Compilation compilation(String type) throws Exception {
		return new Compilation(this.folder).source(PAYLOADS).source(handles("", type));
	}

	private static String handles(String annotation, String type) {
		return """
				package app;

				import java.util.*;
				import io.jobqueue.*;

				class Handles {

					%s@JobHandler("any")
					void handle(%s payload) { }

				}
				""".formatted(annotation, type);
	}

	private static Optional<String> problemOf(Compilation compilation, String type) throws Exception {
		return new JacksonPayloads(JsonMapper.shared())
			.problemOf(compilation.loader().loadClass("app.Payloads$" + type));
	}

}
