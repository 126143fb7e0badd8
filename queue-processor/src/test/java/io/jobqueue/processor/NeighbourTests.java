package io.jobqueue.processor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beside other processors, and with compilers of other versions.
 */
class NeighbourTests {

	private static final String OURS = JobHandlerProcessor.class.getName();

	private static final String LOMBOK = "lombok.launch.AnnotationProcessorHider$AnnotationProcessor";

	private static final String MAPSTRUCT = "org.mapstruct.ap.MappingProcessor";

	@TempDir
	Path folder;

	@Test
	void theCompilerOfJava25IsThere() {
		Assumptions.assumeTrue(Javac.of25().isPresent(),
				"!!!! No JDK 25 (JAVA_HOME_25, or in /usr/lib/jvm): its compiler is not tested");
		Javac.Result result = Javac.of25().orElseThrow().run(List.of("-version"));
		assertThat(result.said()).startsWith("javac 25");
	}

	static Stream<Arguments> ordersOfLombok() {
		return Javac.all()
			.flatMap((javac) -> Stream.of(Arguments.of(javac, new String[] { LOMBOK, OURS }),
					Arguments.of(javac, new String[] { OURS, LOMBOK })));
	}

	@ParameterizedTest
	@MethodSource("ordersOfLombok")
	void payloadsMayBeOfLombok(Javac javac, String[] processors) throws Exception {
		Compilation compilation = new Compilation(this.folder).processors(processors).source("""
				package app;

				import io.jobqueue.*;
				import lombok.*;

				@RequiredArgsConstructor
				class Receipts {

					private final Runnable mailer;

					@Data @NoArgsConstructor @AllArgsConstructor
					static class Order {
						private long number;
						private String customer;
					}

					@Value
					static class Line {
						long order;
						String article;
					}

					/** Without what Lombok adds, it has no constructor that Jackson can use. */
					@Getter @NoArgsConstructor
					static class Parcel {
						private int number;
						Parcel(int number, String stop) { }
						Parcel(long number, String stop) { }
					}

					@JobHandler("parcel") void parcel(Parcel parcel) { parcel.getNumber(); }

					@JobHandler("send-receipt") void send(Order order) { order.getNumber(); mailer.run(); }

					@JobHandler("line") void line(Line line) { line.getArticle(); }

				}
				""").source("""
				package app;

				class Uses {

					Object job() { return ReceiptsJobs.sendReceipt(new Receipts.Order(1, "ann")); }

				}
				""");
		Javac.Result result = compilation.run(javac);
		assertThat(result.succeeded()).as(result.said()).isTrue();
		assertThat(result.warnings()).noneMatch((warning) -> warning.contains("cannot be read"));
		assertThat(compilation.generated()).contains("app/ReceiptsJobs.java");
	}

	static Stream<Arguments> ordersOfMapStruct() {
		return Javac.all()
			.flatMap((javac) -> Stream.of(Arguments.of(javac, new String[] { MAPSTRUCT, OURS }),
					Arguments.of(javac, new String[] { OURS, MAPSTRUCT })));
	}

	/** The handler's parameter is a class that the other processor has yet to write. */
	@ParameterizedTest
	@MethodSource("ordersOfMapStruct")
	void payloadsMayBeMapped(Javac javac, String[] processors) throws Exception {
		Compilation compilation = new Compilation(this.folder).processors(processors).source("""
				package app;

				import io.jobqueue.*;
				import org.mapstruct.Mapper;

				class Orders {

					record Placed(long number) { }

					record Receipt(long number) { }

					@JobHandler("receipt") void send(Receipt receipt, JobContext context) { }

					static Object job(Placed placed) {
						return OrdersJobs.receipt(new ReceiptMapperImpl().receipt(placed));
					}

				}
				""").source("""
				package app;

				import org.mapstruct.Mapper;

				@Mapper
				interface ReceiptMapper {

					Orders.Receipt receipt(Orders.Placed placed);

				}
				""");
		Javac.Result result = compilation.run(javac);
		assertThat(result.succeeded()).as(result.said()).isTrue();
		assertThat(compilation.generated()).contains("app/OrdersJobs.java", "app/ReceiptMapperImpl.java");
	}

	static Stream<Javac> compilers() {
		return Javac.all();
	}

	@ParameterizedTest
	@MethodSource("compilers")
	void payloadsMayBeOfASealedInterface(Javac javac) throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import com.fasterxml.jackson.annotation.*;
				import io.jobqueue.*;

				class Shapes {

					@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
					sealed interface Shape permits Circle, Square { }

					record Circle(int radius) implements Shape { }

					record Square(int side) implements Shape { }

					@JobHandler("draw") void draw(Shape shape) { }

				}
				""").options("-Werror");
		Javac.Result result = compilation.run(javac);
		assertThat(result.succeeded()).as(result.said()).isTrue();
		assertThat(compilation.generated()).containsExactly("app/ShapesJobs.java");
	}

	@ParameterizedTest
	@MethodSource("compilers")
	void whatIsRefusedIsRefusedByEachCompiler(Javac javac) throws Exception {
		Javac.Result result = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Bad {

					@JobHandler("a") private void hidden() { }

					@JobHandler("b") @Recurring(cron = "at noon") void often() { }

				}
				""").run(javac);
		assertThat(result.errors()).hasSize(2)
			.anyMatch((error) -> error.startsWith("Bad.java:7: This job handler is private. Make it"))
			.anyMatch((error) -> error.startsWith("Bad.java:9: This job handler is not valid: cron 'at noon'"));
	}

	/** Another processor writes a type of the signature. */
	@ParameterizedTest
	@MethodSource("compilers")
	void aTypeThatIsWrittenLaterIsWaitedFor(Javac javac) throws Exception {
		Compilation compilation = new Compilation(this.folder).processors(OURS, Writes.class.getName()).source("""
				package app;

				import io.jobqueue.*;

				class Later {

					@JobHandler("later") void handle(java.util.List<written.Payload> payload) { }

					@JobHandler("bad") private void bad(written.Payload payload) { }

				}
				""");
		Javac.Result result = compilation.run(javac);
		assertThat(result.errors()).singleElement().asString().contains("is private");
		assertThat(compilation.generated("app.LaterJobs")).contains("List<Payload> payload");
	}

	/** Where processors are not named, the compiler finds this one. */
	@Test
	void theProcessorIsFoundByItsDescriptor() throws Exception {
		Compilation compilation = new Compilation(this.folder).processors().source("""
				package app;

				import io.jobqueue.*;

				class Found {

					@JobHandler("found") void handle() { }

				}
				""");
		List<String> arguments = new ArrayList<>();
		arguments.addAll(List.of("-classpath", Compilation.classPathWithout("lombok", "mapstruct"), "-d",
				this.folder.resolve("classes").toString()));
		arguments.add(this.folder.resolve("src/app/Found.java").toString());
		assertThat(Javac.OWN.run(arguments).said()).isEmpty();
		assertThat(compilation.resources()).containsExactly("META-INF/jobqueue/app.Found.handlers");
	}

}
