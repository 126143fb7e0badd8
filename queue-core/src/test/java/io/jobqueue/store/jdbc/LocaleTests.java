package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.Locale;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A JVM whose default locale has digits of its own, which no SQL understands.
 */
@ForEachDatabase
@Isolated
class LocaleTests extends StoreTests {

	private final Locale before = Locale.getDefault();

	@BeforeEach
	void setLocale() {
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		assertThat("%d".formatted(1)).as("what a number looks like").isNotEqualTo("1");
		this.store = new JdbcJobStore(new Database(dataSource()), StoreSettings.DEFAULT);
	}

	@AfterEach
	void restoreLocale() {
		Locale.setDefault(this.before);
	}

	@Test
	void uniqueKeysHold() {
		long id = enqueue(NewJob.of("any").uniqueKey("one"));
		assertThat(enqueue(NewJob.of("any").uniqueKey("one"))).isEqualTo(id);
	}

	/** The statements themselves are made once, when the first of them is needed. */
	@Test
	void statesAreWrittenAsSqlReadsThem() {
		assertThat(StateCode.ready("crashes", "outages")).matches("\\p{ASCII}+").contains(">= 2 THEN 7");
	}

	@Test
	void idsAndDelaysAre() {
		List<Long> ids = enqueue(3);
		assertThat(claimIds(3)).isEqualTo(ids);
	}

}
