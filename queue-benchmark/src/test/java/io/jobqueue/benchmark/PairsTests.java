package io.jobqueue.benchmark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PairsTests {

	@Test
	void theSecondVersionIsComparedWithTheFirstPairByPair() {
		Pairs pairs = new Pairs("drain", "--figure", "statements_per_job");
		pairs.add("ours", 0, 10);
		pairs.add("ours", 1, 5);
		pairs.add("ours", 1, 40);
		pairs.add("ours", 0, 20);
		assertThat(pairs.lines()).containsExactly(
				"ratio after/before system=ours statements_per_job=1.25 pairs=2 range=0.50..2.00 interval95=NaN..NaN");
	}

	/**
	 * From a jar as Spring Boot makes it.
	 */
	@Test
	void aVersionIsLoadedFromItsJar(@TempDir Path folder) throws Exception {
		Path jar = folder.resolve("benchmark.jar");
		try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
			zip.setLevel(Deflater.NO_COMPRESSION);
			for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
				add(zip, Path.of(entry));
			}
		}
		try (Version version = new Version(jar)) {
			assertThatIllegalArgumentException().isThrownBy(() -> version.measure(List.of("no-such-scenario")))
				.withMessageContaining("No scenario 'no-such-scenario'");
		}
	}

	private static void add(ZipOutputStream zip, Path entry) throws IOException {
		if (Files.isRegularFile(entry)) {
			zip.putNextEntry(new ZipEntry("BOOT-INF/lib/" + entry.getFileName()));
			Files.copy(entry, zip);
		}
		else if (entry.endsWith(Path.of("target", "classes"))) {
			try (Stream<Path> files = Files.walk(entry)) {
				for (Path file : files.filter(Files::isRegularFile).toList()) {
					zip.putNextEntry(new ZipEntry("BOOT-INF/classes/" + entry.relativize(file)));
					Files.copy(file, zip);
				}
			}
		}
	}

	@Test
	void aJarThatIsNoBenchmarkIsRefused(@TempDir Path folder) throws IOException {
		Path jar = folder.resolve("other.jar");
		try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
			zip.putNextEntry(new ZipEntry("BOOT-INF/classes/nothing"));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> new Version(jar))
			.withMessageContaining("other.jar is no benchmark.jar");
	}

	@Test
	void theCommandNeedsTwoJarsAndAScenario() throws Exception {
		assertThat(Pairs.run("pairs", "before.jar", "after.jar")).isEqualTo(2);
		assertThat(Pairs.run("pairs", "before.jar", "after.jar", "no-such-scenario")).isEqualTo(2);
	}

}
