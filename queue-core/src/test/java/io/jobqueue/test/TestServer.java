package io.jobqueue.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A database server that tests may make databases on, or the reason why there is none.
 *
 * @param isAvailable whether there is one
 * @param description its version and where it came from, or why there is none
 * @param url the JDBC URL without a database's name, ending with a slash
 * @param parameters the URL's parameters
 * @param username a user that may do everything
 * @param password the user's password
 */
record TestServer(boolean isAvailable, String description, String url, String parameters, String username,
		String password) {

	static TestServer embedded(String description) {
		return new TestServer(true, description, "", "", "", "");
	}

	static TestServer none(String why) {
		return new TestServer(false, why, "", "", "", "");
	}

	static TestServer at(String url, String parameters, String username, String password, String origin) {
		try (Connection connection = DriverManager.getConnection(url + parameters(parameters), username, password)) {
			var metaData = connection.getMetaData();
			return new TestServer(true, metaData.getDatabaseProductName() + " " + metaData.getDatabaseProductVersion()
					+ " (" + origin + ")", url, parameters, username, password);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Cannot connect to " + url + " (" + origin + ")", ex);
		}
	}

	TestSchema createSchema(String name, String more) {
		String all = this.parameters + (this.parameters.isEmpty() || more.isEmpty() ? "" : "&") + more;
		try (Connection connection = DriverManager.getConnection(this.url + parameters(this.parameters), this.username,
				this.password); Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Cannot create a database on " + this.description, ex);
		}
		return new TestSchema(this.url + name + parameters(all), this.username, this.password, "DROP DATABASE " + name);
	}

	private static String parameters(String parameters) {
		return parameters.isEmpty() ? "" : "?" + parameters;
	}

}
