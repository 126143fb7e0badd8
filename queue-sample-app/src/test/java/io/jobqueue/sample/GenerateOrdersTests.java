package io.jobqueue.sample;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The file that comes with the shop is what its generator writes.
 */
class GenerateOrdersTests {

	@Test
	void theShippedFileIsGenerated() throws IOException {
		StringWriter generated = new StringWriter();
		GenerateOrders.write(1000, generated);
		assertThat(Files.readString(Path.of("orders-1000.csv"))).isEqualTo(generated.toString());
	}

}
