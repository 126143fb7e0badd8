package io.jobqueue.guide;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A new application by the guide alone: its files and commands, word for word, with the
 * jars that this build has made. On a real MySQL where it can be had.
 */
class GettingStartedTests {

	private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

	@Test
	void theGuideReachesAJobATestAndAPage() throws Exception {
		Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "There is no bash");
		Assumptions.assumeTrue(Files.exists(HOME.resolve("queue-dashboard/target/queue-dashboard-0.1.0-SNAPSHOT.jar")),
				"The modules are not packaged: run mvn verify");
		Path output = Files.createDirectories(Path.of("target")).resolve("getting-started.log");
		ProcessBuilder script = new ProcessBuilder("/bin/bash", HOME.resolve(".ci/getting-started").toString(),
				Path.of("target", "getting-started").toAbsolutePath().toString())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile());
		script.environment().put("JAVA_HOME", System.getProperty("java.home"));
		script.environment()
			.merge("PATH", System.getProperty("java.home") + File.separator + "bin",
					(path, java) -> java + File.pathSeparator + path);
		try (TestSchema schema = TestDatabase.MYSQL.isAvailable() ? TestDatabase.MYSQL.createEmpty() : null) {
			if (schema != null) {
				script.environment()
					.putAll(Map.of("SHOP_DB_URL", schema.jdbcUrl(), "SHOP_DB_USER", schema.username(),
							"SHOP_DB_PASSWORD", schema.password()));
			}
			Process process = script.start();
			boolean ended = process.waitFor(5, TimeUnit.MINUTES);
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			assertThat(ended).as("ended within five minutes").isTrue();
			assertThat(process.exitValue()).as(Files.readString(output)).isZero();
		}
	}

}
