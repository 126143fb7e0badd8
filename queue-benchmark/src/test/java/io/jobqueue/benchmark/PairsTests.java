package io.jobqueue.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
