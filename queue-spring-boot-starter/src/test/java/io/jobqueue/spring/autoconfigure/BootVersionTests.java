package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.CannotStartException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class BootVersionTests {

	@ParameterizedTest
	@ValueSource(strings = { "4.0.3", "3.5.0", "4.0.0-M1" })
	void anOlderOneIsRefused(String version) {
		assertThatExceptionOfType(CannotStartException.class).isThrownBy(() -> BootVersion.check(version))
			.withMessageContaining("needs Spring Boot 4.1 or later")
			.withMessageContaining(version);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "4.1.0", "4.1.1-SNAPSHOT", "4.10.0", "5.0.0", "of-our-own", "" })
	void othersAreNot(String version) {
		assertThatNoException().isThrownBy(() -> BootVersion.check(version));
	}

}
