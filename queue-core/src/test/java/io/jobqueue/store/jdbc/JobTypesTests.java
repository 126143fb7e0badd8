package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.TypeRules;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Thorough;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The numbers of job types.
 */
@ForEachDatabase
class JobTypesTests extends StoreTests {

	@BeforeEach
	void forget() {
		this.database.sql("DELETE FROM jobqueue_type").update();
	}

	private Map<String, Integer> register(String... names) {
		return this.store.registerTypes(List.of(names)
			.stream()
			.collect(Collectors.toMap((name) -> name, (name) -> new TypeRules(RetryPolicy.DEFAULT))));
	}

	@Test
	void areTheSameWhateverWasThereBefore() {
		Map<String, Integer> numbers = register("charge", "send");
		forget();
		assertThat(register("another", "send", "charge")).containsAllEntriesOf(numbers).doesNotContainValue(0);
	}

	@Test
	void areNeverThoseOfAnotherType() {
		Thorough.onceOnH2(this.testDatabase);
		int number = register("charge").get("charge");
		this.database.sql("UPDATE jobqueue_type SET name = 'another' WHERE id = :id").param("id", number).update();
		assertThat(register("charge")).containsEntry("charge", number + 1);
		assertThat(register("charge", "another")).isEqualTo(Map.of("charge", number + 1, "another", number));
	}

}
