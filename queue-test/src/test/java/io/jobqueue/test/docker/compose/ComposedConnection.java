package io.jobqueue.test.docker.compose;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Named as those are that Spring Boot makes for Docker Compose.
 *
 * @param jdbcUrl the address
 */
public record ComposedConnection(String jdbcUrl) implements JdbcConnectionDetails {

	@Override
	public String getJdbcUrl() {
		return this.jdbcUrl;
	}

	@Override
	public String getUsername() {
		return "sa";
	}

	@Override
	public String getPassword() {
		return "";
	}

}
