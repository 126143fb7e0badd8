package io.jobqueue.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.table.JobColumns;
import io.jobqueue.store.jdbc.table.ReusedIds;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the statements know of a job's columns, compared with the tables.
 */
@ForEachDatabase
class JobColumnsTests extends StoreTests {

	private static final Path SOURCES = Path.of("src", "main", "java");

	private List<String> columnsOf(String table) {
		return this.rows
			.sql("SELECT LOWER(column_name) FROM information_schema.columns WHERE LOWER(table_name) = '" + table
					+ "' AND table_schema = " + (this.testDatabase.isH2() ? "SCHEMA()" : "DATABASE()"))
			.query(String.class)
			.list();
	}

	@Test
	void areThoseOfTheTableOfLiveJobs() {
		assertThat(JobColumns.live()).containsExactlyInAnyOrderElementsOf(columnsOf("jobqueue_job"))
			.doesNotHaveDuplicates();
	}

	@Test
	void areThoseOfTheArchive() {
		assertThat(JobColumns.archive()).containsExactlyInAnyOrderElementsOf(columnsOf("jobqueue_archive"))
			.doesNotHaveDuplicates();
	}

	@Test
	void thatComeBackWithARedriveHaveBeenArchived() {
		assertThat(JobColumns.ARCHIVED).containsAll(JobColumns.REDRIVEN);
	}

	/**
	 * Who else deletes from the table of live jobs would bypass what has to happen in the
	 * transaction in which a job ends. {@link ReusedIds} deletes rows that it has just
	 * inserted to ask for an id.
	 */
	@Test
	void jobsLeaveTheTableOfLiveJobsInOnePlace() throws IOException {
		try (Stream<Path> sources = Files.walk(SOURCES)) {
			assertThat(sources.filter(Files::isRegularFile).filter(JobColumnsTests::deletesLiveJobs))
				.extracting((path) -> path.getFileName().toString())
				.containsExactlyInAnyOrder("EndJobs.java", "ReusedIds.java");
		}
	}

	private static boolean deletesLiveJobs(Path source) {
		try {
			String text = Files.readString(source).toLowerCase(Locale.ROOT);
			return text.contains("{delete jobqueue_job}") || text.contains("delete from jobqueue_job");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
