package io.jobqueue.neighbour;

import org.jooq.DSLContext;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.unquotedName;

/**
 * Beside jOOQ.
 */
@SpringBootTest(classes = JooqTests.Application.class)
class JooqTests extends AbstractNeighbourTests {

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	@Business.Enable
	static class Application {

		@Bean
		Ledger ledger(DSLContext dsl) {
			return new Ledger() {

				@Override
				public void add(long id) {
					dsl.insertInto(table(unquotedName("ledger")))
						.columns(field(unquotedName("id")))
						.values(id)
						.execute();
				}

				@Override
				public boolean contains(long id) {
					return dsl
						.fetchExists(table(unquotedName("ledger")).where(field(unquotedName("id"), Long.class).eq(id)));
				}

			};
		}

	}

}
