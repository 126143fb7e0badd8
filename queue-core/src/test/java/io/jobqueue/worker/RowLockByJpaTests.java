package io.jobqueue.worker;

import java.util.List;
import java.util.Map;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.test.ForEachDatabase;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs of row-lock queues in the transactions of JPA.
 */
@ForEachDatabase
class RowLockByJpaTests extends NodeTests {

	private EntityManagerFactory entityManagers;

	@Override
	QueueMode mode() {
		return QueueMode.ROW_LOCK;
	}

	@BeforeEach
	void createEntityManagers() {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setDataSource(this.node.dataSource);
		factory.setManagedTypes(PersistenceManagedTypes.of());
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		// Hibernate's questions about the database fail on MariaDB by MySQL's driver.
		factory.setJpaPropertyMap(Map.of("hibernate.boot.allow_jdbc_metadata_access", "false", "hibernate.dialect",
				"org.hibernate.dialect." + (this.testDatabase.isH2() ? "H2Dialect" : "MySQLDialect")));
		factory.afterPropertiesSet();
		this.entityManagers = factory.getObject();
		JpaTransactionManager manager = new JpaTransactionManager(this.entityManagers);
		manager.setDataSource(this.node.dataSource);
		manager.afterPropertiesSet();
		this.node.transactionManager = manager;
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL, note VARCHAR(100))");
	}

	@AfterEach
	void closeEntityManagers() {
		if (this.entityManagers != null) {
			this.entityManagers.close();
		}
	}

	private void post(long jobId, int attempt) {
		EntityManagerFactoryUtils.getTransactionalEntityManager(this.entityManagers)
			.createNativeQuery("INSERT INTO ledger VALUES (" + jobId + ", 'attempt " + attempt + "')")
			.executeUpdate();
	}

	@Test
	void whatAHandlerWritesIsCommittedWithTheJobOrNotAtAll() {
		this.node.handler("post", (payload, job) -> {
			post(job.id(), job.attempt());
			if (job.attempt() == 1) {
				throw new IllegalStateException("after the write");
			}
		}).start();
		List<Long> ids = enqueue("post", 20);
		for (long id : ids) {
			Job job = this.node.await(id, JobState.SUCCEEDED);
			assertThat(job.attempt()).isEqualTo(2);
			assertThat(job.lastError().orElseThrow().message()).isEqualTo("after the write");
		}
		assertThat(this.node.sql.queryForList("SELECT note FROM ledger", String.class)).hasSize(20)
			.containsOnly("attempt 2");
		assertThat(this.node.count("jobqueue_start")).isZero();
	}

	@Test
	void aHandlerThatMarksItsTransactionAsRollbackOnlyHasFailed() {
		this.node.handler("post", (payload, job) -> {
			post(job.id(), job.attempt());
			if (job.attempt() == 1) {
				EntityManagerFactoryUtils.getTransactionalEntityManager(this.entityManagers)
					.getTransaction()
					.setRollbackOnly();
			}
		}).start();
		Job job = this.node.await(this.node.queue.enqueue("post"), JobState.SUCCEEDED);
		assertThat(job.attempt()).isEqualTo(2);
		assertThat(this.node.sql.queryForList("SELECT note FROM ledger", String.class)).containsExactly("attempt 2");
		assertThat(this.node.count("jobqueue_error")).isEqualTo(1);
	}

}
