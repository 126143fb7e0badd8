package io.jobqueue.neighbour;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/**
 * Beside JPA: what its persistence context has not written yet is written with the job.
 */
@SpringBootTest(classes = JpaTests.Application.class)
class JpaTests extends AbstractNeighbourTests {

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Business.Enable
	static class Application {

		@Bean
		Ledger ledger(EntityManager entities) {
			return new Ledger() {

				@Override
				public void add(long id) {
					Entry entry = new Entry();
					entry.id = id;
					entities.persist(entry);
				}

				@Override
				public boolean contains(long id) {
					return entities.find(Entry.class, id) != null;
				}

			};
		}

	}

	/** A row. */
	@Entity
	@Table(name = "ledger")
	static class Entry {

		@Id
		private Long id;

	}

}
