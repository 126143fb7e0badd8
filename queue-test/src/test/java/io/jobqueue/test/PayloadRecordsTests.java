package io.jobqueue.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import java.lang.reflect.Type;
import java.util.Set;
import java.util.function.Supplier;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.jobqueue.JobContext;
import io.jobqueue.PayloadFormat;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.spring.payload.JacksonPayloads;
import io.jobqueue.store.DeadJobTypes;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Whether a changed type is noticed that can no longer read what is in the queue.
 */
class PayloadRecordsTests {

	private final PayloadFormat format = new JacksonPayloads(new JsonMapper());

	@TempDir
	Path folder;

	@AfterEach
	void dontRecord() {
		System.clearProperty(PayloadRecords.RECORD);
	}

	private PayloadRecords records(Class<?> payload) {
		return records(payload, this.format);
	}

	private PayloadRecords records(Class<?> payload, PayloadFormat format) {
		Handlers handlers = new Handlers();
		handlers.add(handler("order", () -> payload, () -> null));
		return new PayloadRecords(this.folder, handlers, Set.of("left-out"), format);
	}

	private PayloadRecords recordsWithDeadJobHandler(String ofType, Class<?> payload) {
		Handlers handlers = new Handlers();
		handlers.add(handler("order", () -> Order.class, () -> null));
		handlers.add(handler(DeadJobTypes.telling(ofType), () -> null, () -> payload));
		return new PayloadRecords(this.folder, handlers, Set.of("left-out"), this.format);
	}

	private static Handler handler(String type, Supplier<Type> payload, Supplier<Type> ofDead) {
		return new Handler(type, new Handler.Invocation() {

			@Override
			public void invoke(String text, JobContext context) {
			}

			@Override
			public Type payloadType() {
				return payload.get();
			}

			@Override
			public Type payloadTypeOfDead() {
				return ofDead.get();
			}

		}, RetryPolicy.DEFAULT, Duration.ZERO, false);
	}

	private void stored(String json) throws IOException {
		Path file = this.folder.resolve("order").resolve("old.json");
		Files.createDirectories(file.getParent());
		Files.writeString(file, json);
	}

	@Test
	void filesOfAHandlerThatTheTestLeavesOutAreLeftAlone() throws IOException {
		stored("{\"id\":1}");
		Files.createDirectories(this.folder.resolve("left-out"));
		records(Order.class).verify();
		Files.createDirectories(this.folder.resolve("gone"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("no handler takes a payload of 'gone' jobs any more");
	}

	@Test
	void whatCanBeReadPasses() throws IOException {
		stored("{\"id\":7,\"note\":\"x\"}");
		records(Order.class).verify();
	}

	@Test
	void aNewFieldPasses() throws IOException {
		stored("{\"id\":7}");
		records(Order.class).verify();
	}

	@Test
	void aRenamedFieldIsNoticedThoughItCouldBeReadWithoutAnError() throws IOException {
		stored("{\"id\":7,\"remark\":\"x\"}");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("old.json")
			.withMessageContaining("would lose 'remark', which " + Order.class.getName() + " does not have")
			.withMessageContaining("@JsonAlias");
	}

	@Test
	void anAliasForARenamedFieldPasses() throws IOException {
		stored("{\"orderId\":7,\"note\":\"x\"}");
		records(WithAlias.class).verify();
	}

	@Test
	void aFieldThatIsLeftOutOnPurposePasses() throws IOException {
		stored("{\"id\":7,\"gone\":1}");
		records(Lenient.class).verify();
	}

	@Test
	void anotherTypeOfAFieldIsNoticed() throws IOException {
		stored("{\"id\":\"seven\"}");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("can no longer be run");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order", "*" })
	void aHandlerOfDeadJobsThatCannotReadThemIsNoticed(String ofType) throws IOException {
		stored("{\"id\":7,\"note\":\"x\"}");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> recordsWithDeadJobHandler(ofType, Numbered.class).verify())
			.withMessageContaining("old.json")
			.withMessageContaining("can no longer be told of");
	}

	@Test
	void aHandlerOfDeadJobsMayLeaveFieldsOut() throws IOException {
		stored("{\"id\":7,\"note\":\"x\"}");
		recordsWithDeadJobHandler("order", Brief.class).verify();
		recordsWithDeadJobHandler("other", Numbered.class).verify();
	}

	@Test
	void aFractionThatWouldBeCutOffIsNoticed() throws IOException {
		stored("{\"id\":7.5}");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("can no longer be run");
	}

	@Test
	void aTypeThatNobodyHandlesAnyMoreIsNoticed() throws IOException {
		stored("{\"id\":7}");
		Files.createDirectories(this.folder.resolve("renamed"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("no handler takes a payload of 'renamed' jobs any more");
	}

	@Test
	void anExampleThatIsWrittenOtherwiseNowNeedsAnotherName() throws IOException {
		stored("{\"id\":7}");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> records(Order.class).sample("order", "old", new Order(7, "x")).verify())
			.withMessageContaining("another name");
	}

	@Test
	void nullIsNoticed() throws IOException {
		stored("null");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("stands for null");
	}

	@Test
	void aHandlerWithoutARecordIsNoticed() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> records(Order.class).verify())
			.withMessageContaining("'order' jobs have no record");
	}

	@Test
	void aSampleIsWrittenWhenThatIsAskedForAndNeverChanged() throws IOException {
		PayloadRecords sampled = records(Order.class).sample("order", "first", new Order(7, "x"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(sampled::verify)
			.withMessageContaining("-Djobqueue-test.record=true");
		System.setProperty(PayloadRecords.RECORD, "true");
		sampled.verify();
		Path file = this.folder.resolve("order/first.json");
		assertThat(file).content().isEqualToIgnoringNewLines("{\"id\":7,\"note\":\"x\"}");
		records(Order.class).sample("order", "first", new Order(8, "y")).verify();
		assertThat(file).content().contains("7");
		System.clearProperty(PayloadRecords.RECORD);
		records(Order.class).verify();
	}

	@Test
	void aSampleOfNoHandlerIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> records(Order.class).sample("other", "first", new Order(7, "x")))
			.withMessageContaining("'other'");
	}

	record Order(long id, String note) {

	}

	record WithAlias(@JsonAlias("orderId") long id, String note) {

	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Lenient(long id) {

	}

	record Brief(int id) {

	}

	record Numbered(int id, int note) {

	}

}
