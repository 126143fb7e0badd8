package io.jobqueue.neighbour;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.apache.ibatis.session.SqlSessionFactory;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/**
 * Beside MyBatis: also its cache of a session is that of one transaction.
 */
@SpringBootTest(classes = MyBatisTests.Application.class)
class MyBatisTests extends AbstractNeighbourTests {

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	@Business.Enable
	static class Application {

		@Bean
		MapperFactoryBean<LedgerMapper> mapper(SqlSessionFactory factory) {
			MapperFactoryBean<LedgerMapper> mapper = new MapperFactoryBean<>(LedgerMapper.class);
			mapper.setSqlSessionFactory(factory);
			return mapper;
		}

		@Bean
		Ledger ledger(LedgerMapper mapper) {
			return new Ledger() {

				@Override
				public void add(long id) {
					mapper.insert(id);
				}

				@Override
				public boolean contains(long id) {
					return mapper.count(id) > 0;
				}

			};
		}

	}

	/** A mapper. */
	@Mapper
	public interface LedgerMapper {

		@Insert("INSERT INTO ledger (id) VALUES (#{id})")
		void insert(long id);

		@Select("SELECT COUNT(*) FROM ledger WHERE id = #{id}")
		int count(long id);

	}

}
