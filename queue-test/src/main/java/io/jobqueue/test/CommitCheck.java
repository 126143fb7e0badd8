package io.jobqueue.test;

import java.sql.Connection;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.container.ContainerImageMetadata;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.util.ClassUtils;
import org.springframework.util.PatternMatchUtils;

/**
 * Keeps tests from a database that is not there for tests alone: they would run the jobs
 * of others there, or delete them. An address that is left in the environment is enough
 * to get there.
 * <p>
 * Nothing has to be said of databases that end with the test: those in memory, and those
 * of containers, by {@code @ServiceConnection}, {@link DynamicPropertySource} or a
 * {@code jdbc:tc:} URL. It is the address that counts: a container that nobody uses says
 * nothing. Others have to be named.
 */
final class CommitCheck {

	/** Its name, in which {@code *} stands for any characters. */
	static final String NAME = "jobqueue-test.database";

	private static final String OF_TESTCONTAINERS = "jdbc:tc:";

	private static final boolean HAS_HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			CommitCheck.class.getClassLoader());

	private final ConfigurableListableBeanFactory beans;

	private final ConfigurableEnvironment environment;

	/** Null as long as nobody has asked. */
	private volatile @Nullable Boolean forTests;

	CommitCheck(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
		this.beans = beans;
		this.environment = environment;
	}

	/**
	 * Whether the database is one for tests.
	 */
	boolean isForTests(DataSource database) {
		Boolean known = this.forTests;
		if (known == null) {
			known = EmbeddedDatabaseConnection.isEmbedded(database) || isOfContainer(database) || isNamed(database);
			this.forTests = known;
		}
		return known;
	}

	/**
	 * Makes sure that the database is one for tests.
	 * @throws IllegalStateException if it may not be
	 */
	void check(DataSource database) {
		if (!isForTests(database)) {
			String name = name(database);
			String expected = expected();
			throw new IllegalStateException("This test commits, so it would run or delete the jobs of the database '"
					+ name + "', which may be there for more than tests"
					+ (expected.isEmpty() ? "" : " (" + NAME + " is '" + expected + "')")
					+ ". Give the test another one: @AutoConfigureTestDatabase takes one in memory. Or, if '" + name
					+ "' is for tests alone, say so: @AutoConfigureJobQueue(testDatabase = \"" + name + "\"), or "
					+ NAME + "=" + name + " in a properties file of the tests");
		}
	}

	private boolean isNamed(DataSource database) {
		return PatternMatchUtils.simpleMatch(expected(), name(database));
	}

	private String expected() {
		return this.environment.getProperty(NAME, "");
	}

	/**
	 * Drivers differ in what they call a catalog, and some can be told to call it
	 * otherwise.
	 */
	static String name(DataSource database) {
		return String.valueOf(new JdbcTemplate(database).queryForObject("SELECT DATABASE()", String.class));
	}

	private boolean isOfContainer(DataSource database) {
		if (HAS_HIKARI && Hikari.urlOf(database).filter((url) -> url.startsWith(OF_TESTCONTAINERS)).isPresent()) {
			return true;
		}
		String address = Objects.requireNonNull(new JdbcTemplate(database)
			.execute((Connection connection) -> address(connection.getMetaData().getURL())));
		return Stream.concat(urlsOfContainers(), urlsOfTheTest()).map(CommitCheck::address).anyMatch(address::equals);
	}

	/**
	 * A URL without its parameters, which the driver may change.
	 */
	private static String address(@Nullable String url) {
		return String.valueOf(url).split("[?;]", 2)[0];
	}

	/**
	 * Those of Docker Compose are no tests' own: they go on running.
	 */
	private Stream<String> urlsOfContainers() {
		return Arrays
			.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, JdbcConnectionDetails.class))
			.filter(this::isOfTestcontainers)
			.map((name) -> this.beans.getBean(name, JdbcConnectionDetails.class).getJdbcUrl());
	}

	private boolean isOfTestcontainers(String name) {
		Class<?> type = this.beans.getType(name);
		return this.beans.containsBeanDefinition(name)
				&& ContainerImageMetadata.isPresent(this.beans.getBeanDefinition(name)) && type != null
				&& !type.getName().contains(".docker.compose.");
	}

	/**
	 * What a method of the test has given. Spring keeps the class of such sources to
	 * itself, so that Spring Boot asks for its name too.
	 */
	private Stream<String> urlsOfTheTest() {
		return this.environment.getPropertySources()
			.stream()
			.filter((source) -> source.getClass().getSimpleName().equals("DynamicValuesPropertySource"))
			.filter(EnumerablePropertySource.class::isInstance)
			.flatMap((source) -> Arrays.stream(((EnumerablePropertySource<?>) source).getPropertyNames())
				.filter((name) -> name.endsWith("url"))
				.map(source::getProperty))
			.map(String::valueOf);
	}

	/**
	 * Loaded only if it is there.
	 */
	private static final class Hikari {

		/**
		 * What it was given, which the connection does not tell.
		 */
		static Optional<String> urlOf(DataSource database) {
			HikariDataSource pool = DataSourceUnwrapper.unwrap(database, HikariDataSource.class);
			return Optional.ofNullable(pool).map(HikariDataSource::getJdbcUrl);
		}

	}

}
