package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.StoreSettings;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Unique keys on a database that does not tell upper from lower case.
 */
class UniqueKeyCaseTests {

	@Test
	void keysThatH2DoesNotTellApartAreRefused() {
		DriverManagerDataSource dataSource = new DriverManagerDataSource(
				"jdbc:h2:mem:case;DB_CLOSE_DELAY=-1;IGNORECASE=TRUE", "sa", "");
		new ResourceDatabasePopulator(new ClassPathResource("io/jobqueue/schema/h2/V1__job_queue.sql"))
			.execute(dataSource);
		JdbcJobStore store = new JdbcJobStore(new Database(dataSource), StoreSettings.DEFAULT);
		List<EnqueuedJob> jobs = List.of(new EnqueuedJob(NewJob.of("any").uniqueKey("key"), null),
				new EnqueuedJob(NewJob.of("any").uniqueKey("KEY"), null));
		assertThatIllegalStateException().isThrownBy(() -> store.enqueue(jobs)).withMessageContaining("IGNORECASE");
	}

}
