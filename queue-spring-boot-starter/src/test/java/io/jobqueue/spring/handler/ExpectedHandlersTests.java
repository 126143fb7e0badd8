package io.jobqueue.spring.handler;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import io.jobqueue.JobHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that were compiled and are on no bean.
 */
@ExtendWith(OutputCaptureExtension.class)
class ExpectedHandlersTests extends HandlerTests {

	private static final String WARNING = "No bean has the job handlers of ";

	@TempDir
	Path folder;

	@Test
	void aClassThatIsNoBeanIsNamed(CapturedOutput output) throws Exception {
		list(NoBean.class, "job\tforgotten\tforgotten()\ndead\tforgotten\tdead()\n");
		list(Bean.class, "job\tknown\tknown()\njob\t${a.type}\tofProperty()\n");
		list(ForOthers.class, "job\tothers\tothers()\n");
		list(ForOthers.Nested.class, "job\tothers-too\tothers()\n");
		list(Base.class, "job\tbase\tbase()\n");
		list(OfATest.class, "job\tof-a-test\thandle()\n");
		list(Inherited.class, "job\tinherited\thandle()\n");
		list(HasNoneAnyMore.class, "job\tgone\thandle()\n");
		list(ForgottenHandlers.class, "job\tforgotten-too\thandle()\njob\t#{1 / 0}\tother()\n");
		this.runner.withClassLoader(loader())
			.withUserConfiguration(Bean.class, Inherits.class)
			.withPropertyValues("a.type=of-property")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce(WARNING + "'forgotten' (" + NoBean.class.getName() + "), 'forgotten-too' ("
				+ ForgottenHandlers.class.getName() + "), 'jobqueue.dead.forgotten' (" + NoBean.class.getName()
				+ "), so this node");
	}

	@Test
	void nothingIsSaidWhereAllAreThere(CapturedOutput output) throws Exception {
		list(Bean.class, "job\tknown\tknown()\njob\t${b.type}\tofProperty()\n");
		this.runner.withClassLoader(loader())
			.withUserConfiguration(Bean.class)
			.withPropertyValues("a.type=of-property")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(WARNING);
	}

	/** A library's handlers are its own business. */
	@Test
	void whatIsNotScannedIsNotExpected(CapturedOutput output) throws Exception {
		list(NoBean.class, "job\tforgotten\tforgotten()\n");
		this.runner.withClassLoader(loader())
			.withUserConfiguration(Elsewhere.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(WARNING);
		this.runner.withClassLoader(loader())
			.withUserConfiguration(Here.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains(WARNING);
	}

	/** It runs no jobs anyway. */
	@Test
	void aNodeWithoutAWorkerSaysNothing(CapturedOutput output) throws Exception {
		list(NoBean.class, "job\tforgotten\tforgotten()\n");
		this.runner.withClassLoader(loader())
			.withPropertyValues("jobqueue.worker.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(WARNING);
	}

	/** As Spring Boot's slices do, which leave beans out on purpose. */
	@Test
	void aTestOfAPartSaysNothing(CapturedOutput output) throws Exception {
		list(NoBean.class, "job\tforgotten\tforgotten()\n");
		this.runner.withClassLoader(loader())
			.withPropertyValues(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY + "=false")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void theTypesOfAllListsAreKnown() throws Exception {
		list(NoBean.class, "job\tforgotten\tforgotten()\ndead\tforgotten\tdead()\n");
		list(Bean.class, "job\tknown\tknown()\njob\t${a.type}\tofProperty()\njob\t#{1 / 0}\tother()\n");
		list(HasNoneAnyMore.class, "job\tgone\thandle()\n");
		Files.writeString(lists().resolve("app.Gone.handlers"), "job\tgone-too\tgone()\n");
		this.runner.withClassLoader(loader())
			.withUserConfiguration(Bean.class)
			.withPropertyValues("a.type=of-property")
			.run((context) -> assertThat(new HandlerLists(context, context.getBeanFactory()).types())
				.containsExactlyInAnyOrder("forgotten", "jobqueue.dead.forgotten", "known", "of-property"));
	}

	@Test
	void aListThatCannotBeReadKeepsNothingFromStarting(CapturedOutput output) throws Exception {
		Files.writeString(lists().resolve("app.Gone.handlers"), "job\tgone\tgone()\nnonsense\n");
		list(NoBean.class, "nonsense\njob\tforgotten\tforgotten()\n");
		this.runner.withClassLoader(loader()).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains(WARNING + "'forgotten' (").doesNotContain("app.Gone");
	}

	private Path lists() throws IOException {
		return Files.createDirectories(this.folder.resolve("META-INF/jobqueue"));
	}

	private void list(Class<?> type, String handlers) throws IOException {
		Files.writeString(lists().resolve(type.getName() + ".handlers"), handlers);
	}

	private ClassLoader loader() throws MalformedURLException {
		return new URLClassLoader(new URL[] { this.folder.toUri().toURL() }, getClass().getClassLoader());
	}

	@Component
	static class NoBean {

		@JobHandler("forgotten")
		void forgotten() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Bean {

		@JobHandler("known")
		void known() {
		}

		@JobHandler("${a.type}")
		void ofProperty() {
		}

	}

	@Component
	@Profile("others")
	static class ForOthers {

		@JobHandler("others")
		void others() {
		}

		@Component
		static class Nested {

			@JobHandler("others-too")
			void others() {
			}

		}

	}

	@Component
	abstract static class Base {

		@JobHandler("base")
		void base() {
		}

	}

	static class OfATest {

		@JobHandler("of-a-test")
		void handle() {
		}

	}

	@Component
	static class Inherited {

		@JobHandler("inherited")
		void handle() {
		}

	}

	@Component
	static class Inherits extends Inherited {

		@Override
		@JobHandler("inherits")
		void handle() {
		}

	}

	@Component
	static class HasNoneAnyMore {

		void handle() {
		}

	}

	@AutoConfigurationPackage(basePackages = "com.example")
	static class Elsewhere {

	}

	@AutoConfigurationPackage(basePackages = "io.jobqueue.spring")
	static class Here {

	}

}

class ForgottenHandlers {

	@JobHandler("forgotten-too")
	void handle() {
	}

}
