package io.jobqueue.test;

import java.util.UUID;

/**
 * The databases that the tests run on. A server is started when a test first asks for it,
 * and stopped when the JVM ends.
 */
public enum TestDatabase {

	/** A real MySQL: given by URL, from Docker, or a {@code mysqld} of this machine. */
	MYSQL,

	/** A real MariaDB, which comes as a dependency. */
	MARIADB,

	/** H2 as Spring Boot configures it. */
	H2,

	/** H2 in MySQL mode. */
	H2_MYSQL_MODE;

	private TestServer server;

	/**
	 * Whether the database can be had on this machine.
	 * @return true if so
	 */
	public boolean isAvailable() {
		return server().isAvailable();
	}

	/**
	 * Why the database cannot be had.
	 * @return the reason
	 */
	public String whyNot() {
		return server().description();
	}

	/**
	 * Whether this is H2, in whichever mode.
	 * @return true if so
	 */
	public boolean isH2() {
		return this == H2 || this == H2_MYSQL_MODE;
	}

	/**
	 * Makes a database with the queue's tables.
	 * @return the database
	 */
	public TestSchema create() {
		return create("");
	}

	/**
	 * Makes a database with the queue's tables.
	 * @param urlParameters what to add to the URL, such as
	 * {@code useAffectedRows=true&…}; not for H2
	 * @return the database
	 */
	public TestSchema create(String urlParameters) {
		return createEmpty(urlParameters).withTables();
	}

	/**
	 * Makes a database without tables.
	 * @return the database
	 */
	public TestSchema createEmpty() {
		return createEmpty("");
	}

	private TestSchema createEmpty(String urlParameters) {
		String name = "jq_" + UUID.randomUUID().toString().replace("-", "");
		if (isH2()) {
			String mode = (this == H2) ? "" : ";MODE=MySQL";
			server();
			return new TestSchema("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE" + mode, "sa", "",
					"SHUTDOWN");
		}
		return server().createSchema(name, urlParameters);
	}

	private synchronized TestServer server() {
		if (this.server == null) {
			this.server = switch (this) {
				case MYSQL -> MySqlServer.find();
				case MARIADB -> MariaDbServer.start();
				case H2, H2_MYSQL_MODE -> TestServer.embedded("H2 " + org.h2.engine.Constants.VERSION);
			};
			DatabasesUsed.note(this, this.server);
		}
		return this.server;
	}

	/**
	 * The JDBC drivers that speak MySQL's protocol.
	 */
	public enum Driver {

		/** MySQL's. */
		CONNECTOR_J,

		/** MariaDB's. */
		MARIADB_CONNECTOR

	}

}
