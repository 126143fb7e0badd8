package io.jobqueue.test;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.container.ContainerImageMetadata;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.BoundPropertiesTrackingBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.util.PatternMatchUtils;

/**
 * Keeps tests that commit from a database that is not there for tests alone: they would
 * run the jobs of others there, or delete them. An address that is left in the
 * environment is enough to get there.
 * <p>
 * Nothing has to be said of databases that end with the test: those in memory, and those
 * of containers, by {@code @ServiceConnection}, {@link DynamicPropertySource} or a
 * {@code jdbc:tc:} URL. Others have to be named.
 */
final class CommitCheck {

	/** Its name, in which {@code *} stands for any characters. */
	private static final String NAME = "jobqueue-test.database";

	private final ConfigurableListableBeanFactory beans;

	private final Environment environment;

	CommitCheck(ConfigurableListableBeanFactory beans, Environment environment) {
		this.beans = beans;
		this.environment = environment;
	}

	/**
	 * Makes sure that the database is one for tests.
	 * @throws IllegalStateException if it may not be
	 */
	void check(DataSource database) {
		if (EmbeddedDatabaseConnection.isEmbedded(database) || endsWithTheTest()) {
			return;
		}
		String name = new JdbcTemplate(database).execute(Connection::getCatalog);
		String expected = this.environment.getProperty(NAME, "");
		if (!PatternMatchUtils.simpleMatch(expected, name)) {
			throw new IllegalStateException("This test commits, so it would run or delete the jobs of the database '"
					+ name + "', which may be there for more than tests"
					+ (expected.isEmpty() ? "" : " (" + NAME + " is '" + expected + "')")
					+ ". Give the test another one: @AutoConfigureTestDatabase takes one in memory. Or, if '" + name
					+ "' is for tests alone, say so: @AutoConfigureJobQueue(testDatabase = \"" + name + "\"), or "
					+ NAME + "=" + name + " in a properties file of the tests");
		}
	}

	/**
	 * Whether the one DataSource there is is that of a container. Where there are several
	 * it cannot be told which is.
	 */
	private boolean endsWithTheTest() {
		return this.beans.getBeanNamesForType(DataSource.class).length == 1
				&& (isServiceOfContainer() || isUrlOfContainer());
	}

	private boolean isServiceOfContainer() {
		return List.of(this.beans.getBeanNamesForType(JdbcConnectionDetails.class))
			.stream()
			.filter(this.beans::containsBeanDefinition)
			.map(this.beans::getBeanDefinition)
			.anyMatch(ContainerImageMetadata::isPresent);
	}

	private boolean isUrlOfContainer() {
		List<ConfigurationProperty> urls = new ArrayList<>();
		Binder.get(this.environment, new BoundPropertiesTrackingBindHandler(urls::add))
			.bind("spring.datasource.url", Bindable.of(String.class));
		return urls.stream().anyMatch((url) -> isDynamic(url) || url.getValue().toString().startsWith("jdbc:tc:"));
	}

	/**
	 * Whether a method of the test has given it. Spring keeps the class of such sources
	 * to itself, so that Spring Boot asks for its name too.
	 */
	private static boolean isDynamic(ConfigurationProperty property) {
		return property.getOrigin() instanceof PropertySourceOrigin origin && origin.getPropertySource() != null
				&& origin.getPropertySource().getClass().getSimpleName().equals("DynamicValuesPropertySource");
	}

}
