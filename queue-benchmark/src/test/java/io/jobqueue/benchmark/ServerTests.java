package io.jobqueue.benchmark;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServerTests {

	@ParameterizedTest
	@CsvSource({ "jdbc:mysql://h/d, a=b, jdbc:mysql://h/d?a=b", "jdbc:mysql://h/d?c=d, a=b, jdbc:mysql://h/d?c=d&a=b",
			"jdbc:mysql://h/d?c=d, '', jdbc:mysql://h/d?c=d", "jdbc:mysql://h/d, '', jdbc:mysql://h/d" })
	void parametersAreAddedToThoseOfTheUrl(String url, String parameters, String expected) {
		assertThat(Server.withParameters(url, parameters)).isEqualTo(expected);
	}

}
