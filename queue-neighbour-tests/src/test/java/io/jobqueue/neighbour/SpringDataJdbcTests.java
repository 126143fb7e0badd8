package io.jobqueue.neighbour;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.relational.core.mapping.Table;

/**
 * Beside Spring Data JDBC.
 */
@SpringBootTest(classes = SpringDataJdbcTests.Application.class)
class SpringDataJdbcTests extends AbstractNeighbourTests {

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	@Business.Enable
	static class Application {

		@Bean
		Ledger ledger(JdbcAggregateTemplate aggregates) {
			return new Ledger() {

				@Override
				public void add(long id) {
					aggregates.insert(new Entry(id));
				}

				@Override
				public boolean contains(long id) {
					return aggregates.existsById(id, Entry.class);
				}

			};
		}

	}

	/**
	 * A row.
	 *
	 * @param id its number
	 */
	@Table("ledger")
	record Entry(@Id Long id) {

	}

}
