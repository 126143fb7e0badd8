package io.jobqueue.neighbour.container;

import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mysql.MySQLContainer;

import org.springframework.boot.testcontainers.service.connection.ServiceConnection;

/**
 * With Docker. Without it these are skipped, and {@link ServiceConnectionTests} shows the
 * same but for the container.
 */
@Testcontainers(disabledWithoutDocker = true)
class DockerTests extends AbstractContainerTests {

	@Container
	@ServiceConnection
	static MySQLContainer mysql = new MySQLContainer("mysql:8.4");

}
