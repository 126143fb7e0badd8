package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.Map;

import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.store.Queues;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Nodes whose settings disagree about the mode of a queue.
 */
@ForEachDatabase
class QueueModesTests {

	@Parameter(0)
	private TestDatabase testDatabase;

	private TestSchema schema;

	private Queues queues;

	@BeforeEach
	void createQueues() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		this.schema = this.testDatabase.create();
		this.queues = new JdbcQueues(new Database(this.schema.dataSource()));
	}

	@AfterEach
	void closeSchema() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	private QueueModes node(QueueMode mode) {
		QueueModes modes = new QueueModes(this.queues, Map.of("mail", mode), Duration.ofMinutes(1));
		modes.set();
		return modes;
	}

	@Test
	void theModeThatWasSetLastHoldsAndTheOtherNodeIsToldOnce() {
		QueueModes first = node(QueueMode.ROW_LOCK);
		assertThat(this.queues.rowLock()).containsExactly("mail");
		try (LogLines lines = LogLines.of(QueueModes.class)) {
			first.runOnce();
			assertThat(lines.messages()).isEmpty();
			QueueModes second = node(QueueMode.STANDARD);
			assertThat(this.queues.rowLock()).isEmpty();
			first.runOnce();
			first.runOnce();
			second.runOnce();
			assertThat(lines.messages()).hasSize(2);
			assertThat(lines.messages().get(0)).contains("WARN Queue 'mail' is in the mode standard now",
					"more than once");
			assertThat(lines.messages().get(1)).contains("WARN Queue 'mail' is no longer in the mode row-lock");
		}
	}

	@Test
	void aModeAndAPauseDoNotDisturbEachOther() {
		this.queues.setPaused("mail", true);
		assertThat(this.queues.setMode("mail", QueueMode.ROW_LOCK)).isEqualTo(QueueMode.STANDARD);
		this.queues.setPaused("mail", false);
		this.queues.setLifo("mail", true);
		assertThat(this.queues.setMode("mail", QueueMode.ROW_LOCK)).isEqualTo(QueueMode.ROW_LOCK);
		assertThat(this.queues.depths()).singleElement().matches(Queues.Depth::lifo);
	}

}
