package io.jobqueue.store.jdbc;

import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.database.CallersTransactions;
import io.jobqueue.database.Database;
import io.jobqueue.store.Audit;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListener;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Together;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.Synchronization;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Enqueueing in callbacks that run after the end of a transaction, when Spring still has
 * its connection bound to the thread.
 */
@ForEachDatabase
class EnqueueAfterTransactionTests extends StoreTests {

	/** Only one: whoever asked for a second connection would wait for himself. */
	private static final int POOL = 1;

	private final AtomicInteger told = new AtomicInteger();

	private EntityManagerFactory entityManagers;

	private final QueueListeners listeners = new QueueListeners();

	private StoredJobQueue queue;

	private DataSource pool;

	@AfterEach
	void closeEntityManagers() {
		if (this.entityManagers != null) {
			this.entityManagers.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aJobIsThereOnceItsIdIs(Kind kind) {
		TransactionTemplate transaction = open(kind, POOL);
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong();
			AtomicBoolean there = new AtomicBoolean();
			inCallback(transaction, phase, () -> {
				id.set(this.queue.enqueue("any", "payload"));
				there.set(Together.elsewhere(() -> this.rows.isLive(id.get())));
			});
			assertThat(there).as("seen by others at once, %s", phase).isTrue();
			assertThat(this.rows.isLive(id.get())).as("still there, %s", phase).isTrue();
			assertThat(this.told).as("the worker is told, %s", phase).hasValue(1 + phase.ordinal());
		}
	}

	@ParameterizedTest
	@EnumSource
	void aLargePayloadIsThereAsSoonAsItsJobIs(Kind kind) {
		TransactionTemplate transaction = open(kind, POOL);
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong();
			inCallback(transaction, phase, () -> id.set(this.queue.enqueue("any", "x".repeat(10_000))));
			assertThat(this.store.payload(id.get())).hasSize(10_000);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aUniqueKeyMakesOneJobOfManyCallbacks(Kind kind) {
		TransactionTemplate transaction = open(kind, 8);
		for (Phase phase : Phase.values()) {
			List<Long> ids = Together.run(8, (number) -> {
				AtomicLong id = new AtomicLong();
				inCallback(transaction, phase,
						() -> id.set(this.queue.enqueue(NewJob.of("any").uniqueKey("key " + phase))));
				return id.get();
			});
			assertThat(ids).as(phase.name()).containsOnly(ids.get(0));
			assertThat(this.rows.isLive(ids.get(0))).isTrue();
		}
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(Phase.values().length);
	}

	@ParameterizedTest
	@EnumSource
	void severalJobsAreAllThereOrNone(Kind kind) {
		assumeFalse(this.testDatabase.isH2(), "H2 takes a payload of any size");
		TransactionTemplate transaction = open(kind, POOL);
		JdbcJobStore unchecked = new JdbcJobStore(new Database(this.pool), StoreSettings.DEFAULT);
		List<EnqueuedJob> jobs = List.of(text(NewJob.of("any")), text(NewJob.of("any", "x".repeat(17_000_000))));
		for (Phase phase : Phase.values()) {
			AtomicReference<Throwable> failure = new AtomicReference<>();
			inCallback(transaction, phase, () -> {
				try {
					unchecked.enqueue(jobs);
				}
				catch (RuntimeException ex) {
					failure.set(ex);
				}
			});
			assertThat(failure.get()).as(phase.name()).isNotNull();
			assertThat(this.rows.count("jobqueue_job")).as(phase.name()).isZero();
		}
	}

	/**
	 * The callback's own statements on that connection are not in the way, and a
	 * transaction that they have begun is none that the job could join.
	 */
	@ParameterizedTest
	@EnumSource
	void whatTheCallbackHasReadBeforeDoesNotMatter(Kind kind) {
		TransactionTemplate transaction = open(kind, POOL);
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong();
			inCallback(transaction, phase, () -> {
				new JdbcTemplate(this.pool).queryForList("SELECT name FROM jobqueue_queue");
				id.set(this.queue.enqueue(NewJob.of("any").uniqueKey("read " + phase)));
			});
			assertThat(this.rows.isLive(id.get())).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aNewTransactionInACallbackIsJoinedAsAnyOther(Kind kind) {
		TransactionTemplate transaction = open(kind, 2);
		TransactionTemplate apart = new TransactionTemplate(transaction.getTransactionManager(), transaction);
		apart.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
		for (Phase phase : Phase.values()) {
			inCallback(transaction, phase, () -> apart.executeWithoutResult((status) -> {
				this.queue.enqueue("any");
				status.setRollbackOnly();
			}));
			assertThat(this.rows.count("jobqueue_job")).as(phase.name()).isZero();
		}
		assertThat(this.told).hasValue(0);
	}

	/**
	 * Spring lets such a method take part in the transaction that is over.
	 */
	@ParameterizedTest
	@EnumSource
	void aTransactionThatIsJoinedInACallbackIsOver(Kind kind) {
		TransactionTemplate transaction = open(kind, POOL);
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong(-1);
			inCallback(transaction, phase, () -> {
				try {
					id.set(transaction.execute((status) -> this.queue.enqueue("any")));
				}
				catch (IllegalStateException ex) {
					assertThat(ex).hasMessageContaining("REQUIRES_NEW");
				}
			});
			assertThat(id.get() == -1 || this.rows.isLive(id.get())).as(phase.name()).isTrue();
		}
	}

	/**
	 * In a transaction of a manager that nobody has told of the queue the phase cannot be
	 * told, while a callback runs.
	 */
	@ParameterizedTest
	@EnumSource
	void whereThePhaseCannotBeToldAnEnqueueIsRefused(Phase phase) {
		open(Kind.JDBC, POOL);
		TransactionTemplate unknown = transaction(this.pool);
		AtomicReference<Throwable> refused = new AtomicReference<>();
		inCallback(unknown, phase, () -> {
			try {
				this.queue.enqueue("any");
			}
			catch (RuntimeException ex) {
				refused.set(ex);
			}
		});
		assertThat(refused.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("REQUIRES_NEW");
		assertThat(this.rows.count("jobqueue_job")).isZero();
		long id = unknown.execute((status) -> this.queue.enqueue("any"));
		assertThat(this.rows.isLive(id)).isTrue();
		unknown.executeWithoutResult((status) -> {
			this.queue.enqueue("any");
			status.setRollbackOnly();
		});
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	/**
	 * What was done there is over, so that nothing is left whose outcome the job would
	 * not share.
	 */
	@Test
	void afterATransactionOfAnotherDataSourceAJobIsEnqueuedByItself() {
		open(Kind.JDBC, 2);
		JdbcTransactionManager foreign = new JdbcTransactionManager(schema().pool(""));
		CallersTransactions.listenTo(foreign);
		TransactionTemplate transaction = new TransactionTemplate(foreign);
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong();
			inCallback(transaction, phase, () -> id.set(this.queue.enqueue("any")));
			assertThat(this.rows.isLive(id.get())).as(phase.name()).isTrue();
		}
		assertThatIllegalStateException()
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> this.queue.enqueue("any")));
	}

	/**
	 * Spring shows the inner transaction, which is over. The job shares the outcome of
	 * the outer one, and must not commit what that has done so far.
	 */
	@ParameterizedTest
	@EnumSource
	void afterATransactionOfAnotherDataSourceInsideOneOfItsOwnAJobIsPartOfThat(Kind kind) {
		TransactionTemplate own = open(kind, POOL);
		TransactionTemplate foreign = foreign(true);
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong();
			own.executeWithoutResult((status) -> {
				this.queue.enqueue("first");
				inCallback(foreign, phase, () -> id.set(this.queue.enqueue(NewJob.of("any").uniqueKey("a"))));
				assertThat(this.queue.enqueue(NewJob.of("any").uniqueKey("a"))).isEqualTo(id.get());
				assertThat(Together.elsewhere(() -> this.rows.count("jobqueue_job"))).as("seen by others").isZero();
				assertThat(this.told).as("the worker is told").hasValue(0);
				status.setRollbackOnly();
			});
			assertThat(this.rows.count("jobqueue_job")).as("rolled back, %s", phase).isZero();
			assertThat(this.told).hasValue(0);
		}
		for (Phase phase : Phase.values()) {
			AtomicLong id = new AtomicLong();
			own.executeWithoutResult(
					(status) -> inCallback(foreign, phase, () -> id.set(this.queue.enqueue("any", "payload"))));
			assertThat(this.rows.isLive(id.get())).as("committed, %s", phase).isTrue();
			assertThat(this.told).as("the worker is told, %s", phase).hasValue(1 + phase.ordinal());
		}
	}

	/**
	 * Managers of message brokers, among others, take no part in Spring's
	 * synchronizations, so that Spring shows no transaction at all.
	 */
	@ParameterizedTest
	@EnumSource
	void insideATransactionWithoutSynchronizationsAJobIsPartOfTheOneOnItsDataSource(Kind kind) {
		TransactionTemplate own = open(kind, POOL);
		TransactionTemplate foreign = foreign(true);
		((AbstractPlatformTransactionManager) foreign.getTransactionManager())
			.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		own.executeWithoutResult((status) -> {
			foreign.executeWithoutResult((inner) -> this.queue.enqueue(NewJob.of("any").uniqueKey("a")));
			status.setRollbackOnly();
		});
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.told).hasValue(0);
		own.executeWithoutResult((status) -> foreign
			.executeWithoutResult((inner) -> this.queue.enqueue(NewJob.of("any").uniqueKey("a"))));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
		assertThat(this.told).hasValue(1);
	}

	/**
	 * The transaction on the queue's DataSource is over, but its connection is still
	 * bound, and nobody will commit on it again. The other one is open, and the job would
	 * not share its outcome.
	 */
	@ParameterizedTest
	@EnumSource
	void inATransactionOfAnotherDataSourceThatACallbackBeginsAJobIsRefused(Kind kind) {
		TransactionTemplate own = open(kind, POOL);
		for (boolean tells : new boolean[] { true, false }) {
			TransactionTemplate foreign = foreign(tells);
			for (Phase phase : Phase.values()) {
				AtomicReference<Throwable> refused = new AtomicReference<>();
				inCallback(own, phase, () -> foreign.executeWithoutResult((status) -> {
					try {
						this.queue.enqueue("any");
					}
					catch (RuntimeException ex) {
						refused.set(ex);
					}
				}));
				assertThat(refused.get()).as("%s, the other manager tells: %s", phase, tells)
					.isInstanceOf(IllegalStateException.class);
			}
		}
		assertThat(this.rows.count("jobqueue_job")).isZero();
		AtomicLong id = new AtomicLong();
		inCallback(own, Phase.AFTER_COMMIT,
				() -> inCallback(foreign(true), Phase.AFTER_COMMIT, () -> id.set(this.queue.enqueue("any"))));
		assertThat(this.rows.isLive(id.get())).as("once the other one is over too").isTrue();
	}

	/**
	 * A transaction whose manager nobody has told of the queue may be open around one
	 * that is over.
	 */
	@Test
	void whatMayStillBeOpenIsNotCommitted() {
		open(Kind.JDBC, POOL);
		TransactionTemplate unknown = transaction(this.pool);
		for (Phase phase : Phase.values()) {
			unknown.executeWithoutResult((status) -> {
				this.queue.enqueue("first");
				AtomicReference<Throwable> refused = new AtomicReference<>();
				inCallback(foreign(true), phase, () -> {
					try {
						this.queue.enqueue("any");
					}
					catch (RuntimeException ex) {
						refused.set(ex);
					}
				});
				assertThat(refused.get()).isInstanceOf(IllegalStateException.class);
				status.setRollbackOnly();
			});
			assertThat(this.rows.count("jobqueue_job")).as(phase.name()).isZero();
		}
	}

	/**
	 * Some programs keep one session so, for temporary tables or GET_LOCK.
	 */
	@Test
	void aConnectionThatIsBoundByHandIsNoTransaction() throws SQLException {
		open(Kind.JDBC, 2);
		try (Connection connection = this.pool.getConnection()) {
			TransactionSynchronizationManager.bindResource(this.pool, new ConnectionHolder(connection));
			try {
				this.queue.enqueueAll(List.of(NewJob.of("any"), NewJob.of("any").uniqueKey("a")));
			}
			finally {
				TransactionSynchronizationManager.unbindResource(this.pool);
			}
		}
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(2);
		assertThat(this.told).hasValue(1);
	}

	/**
	 * As a DataSource that looks up the caller's tenant before it gives a connection.
	 */
	@Test
	void aTransactionMayBeginWhileAnotherBegins() {
		open(Kind.JDBC_WITHOUT_AUTO_COMMIT, POOL);
		TransactionTemplate tenants = foreign(true);
		JdbcTransactionManager manager = new JdbcTransactionManager(this.pool) {
			@Override
			protected void doBegin(Object transaction, TransactionDefinition definition) {
				tenants.executeWithoutResult((status) -> assertThat(status.isNewTransaction()).isTrue());
				super.doBegin(transaction, definition);
			}
		};
		CallersTransactions.listenTo(manager);
		AtomicLong id = new AtomicLong();
		inCallback(new TransactionTemplate(manager), Phase.AFTER_COMMIT, () -> id.set(this.queue.enqueue("any")));
		assertThat(this.rows.isLive(id.get())).isTrue();
	}

	@Test
	void theCallbackThatRunsFirstOfAllComesAfterTheEndToo() {
		TransactionTemplate transaction = open(Kind.JDBC_WITHOUT_AUTO_COMMIT, POOL);
		AtomicLong id = new AtomicLong();
		transaction.executeWithoutResult((status) -> TransactionSynchronizationManager
			.registerSynchronization(new FirstOfAll(() -> id.set(this.queue.enqueue("any")))));
		assertThat(this.rows.isLive(id.get())).isTrue();
	}

	/**
	 * Hibernate's own callbacks run while Spring's manager still waits for the commit.
	 */
	@ParameterizedTest
	@EnumSource(names = "JPA.*", mode = EnumSource.Mode.MATCH_ANY)
	void inCallbacksOfHibernateAJobIsThereOnceItsIdIs(Kind kind) {
		TransactionTemplate transaction = open(kind, POOL);
		for (boolean commit : new boolean[] { true, false }) {
			AtomicLong id = new AtomicLong();
			AtomicBoolean there = new AtomicBoolean();
			transaction.executeWithoutResult((status) -> {
				registerWithHibernate(() -> {
				}, () -> {
					id.set(this.queue.enqueue("any", "x".repeat(10_000)));
					there.set(Together.elsewhere(() -> this.rows.isLive(id.get())));
				});
				if (!commit) {
					status.setRollbackOnly();
				}
			});
			assertThat(there).as("seen by others at once, committed: %s", commit).isTrue();
			assertThat(this.rows.isLive(id.get())).as("still there, committed: %s", commit).isTrue();
		}
		assertThat(this.told).hasValue(2);
	}

	@ParameterizedTest
	@EnumSource(names = "JPA.*", mode = EnumSource.Mode.MATCH_ANY)
	void whatHibernateCallsBeforeTheCommitIsPartOfIt(Kind kind) {
		TransactionTemplate transaction = open(kind, POOL);
		assertThatThrownBy(() -> transaction.executeWithoutResult((status) -> registerWithHibernate(() -> {
			this.queue.enqueue("any");
			throw new IllegalStateException("Entity is not valid");
		}, () -> {
		}))).hasStackTraceContaining("Entity is not valid");
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.told).hasValue(0);
		transaction.executeWithoutResult((status) -> registerWithHibernate(() -> this.queue.enqueue("any"), () -> {
		}));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
		assertThat(this.told).hasValue(1);
	}

	private void registerWithHibernate(Runnable before, Runnable after) {
		EntityManagerFactoryUtils.getTransactionalEntityManager(this.entityManagers)
			.unwrap(Session.class)
			.getTransaction()
			.registerSynchronization(new Synchronization() {
				@Override
				public void beforeCompletion() {
					before.run();
				}

				@Override
				public void afterCompletion(int status) {
					after.run();
				}
			});
	}

	/**
	 * JDBC's manager begins on the connection that JPA's has bound, if both are of one
	 * DataSource.
	 */
	@ParameterizedTest
	@EnumSource(names = "JPA.*", mode = EnumSource.Mode.MATCH_ANY)
	void aTransactionOfJdbcOnTheConnectionOfJpaIsOneOfItsOwn(Kind kind) {
		TransactionTemplate entities = open(kind, POOL);
		for (int synchronization : new int[] { AbstractPlatformTransactionManager.SYNCHRONIZATION_ALWAYS,
				AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER }) {
			JdbcTransactionManager manager = managerBesideJpa(synchronization);
			TransactionTemplate jdbc = new TransactionTemplate(manager);
			inCallback(entities, Phase.AFTER_COMMIT, () -> {
				jdbc.executeWithoutResult((status) -> {
					this.queue.enqueue("any");
					status.setRollbackOnly();
				});
				assertThat(this.rows.count("jobqueue_job")).as("shares its rollback").isZero();
				jdbc.executeWithoutResult((status) -> this.queue.enqueue("any"));
				assertThat(Together.elsewhere(() -> this.rows.count("jobqueue_job"))).as("and its commit").isEqualTo(1);
				this.queue.enqueue("any");
				assertThat(Together.elsewhere(() -> this.rows.count("jobqueue_job"))).as("and is over").isEqualTo(2);
			});
			assertThat(this.told).hasValue(2);
			entities.executeWithoutResult((outer) -> {
				jdbc.executeWithoutResult((status) -> this.queue.enqueue("any"));
				this.queue.enqueue("any");
				assertThat(this.told).as("the inner one is over").hasValue(3);
				outer.setRollbackOnly();
			});
			assertThat(this.rows.count("jobqueue_job")).as("the outer one is rolled back").isEqualTo(3);
			assertThat(this.told).hasValue(3);
			this.rows.deleteAll();
			this.told.set(0);
		}
	}

	private JdbcTransactionManager managerBesideJpa(int synchronization) {
		JdbcTransactionManager manager = new JdbcTransactionManager(this.pool);
		CallersTransactions.listenTo(manager);
		manager.setTransactionSynchronization(synchronization);
		return manager;
	}

	/**
	 * Spring tells its listeners of savepoints, too.
	 */
	@ParameterizedTest
	@EnumSource(names = "JPA.*", mode = EnumSource.Mode.MATCH_ANY)
	void aNestedTransactionIsOneWithThatItIsIn(Kind kind) {
		TransactionTemplate entities = open(kind, POOL);
		for (int synchronization : new int[] { AbstractPlatformTransactionManager.SYNCHRONIZATION_ALWAYS,
				AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER }) {
			JdbcTransactionManager manager = managerBesideJpa(synchronization);
			TransactionTemplate jdbc = new TransactionTemplate(manager);
			TransactionTemplate nested = new TransactionTemplate(manager);
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			entities.executeWithoutResult((outer) -> {
				jdbc.executeWithoutResult((inner) -> {
					nested.executeWithoutResult((status) -> this.queue.enqueue("any"));
					assertThat(this.told).as("the inner one is not over").hasValue(0);
				});
				this.queue.enqueue("any");
			});
			assertThat(this.rows.count("jobqueue_job")).isEqualTo(2);
			assertThat(this.told).hasValue(2);
			this.told.set(0);
			jdbc.executeWithoutResult((outer) -> {
				nested.executeWithoutResult((status) -> this.queue.enqueue("any"));
				outer.setRollbackOnly();
			});
			assertThat(this.told).as("nothing was committed").hasValue(0);
			this.rows.deleteAll();
		}
	}

	/**
	 * Such transactions call nobody back.
	 */
	@Test
	void aTransactionWithoutSynchronizationsTellsTheWorker() {
		TransactionTemplate transaction = open(Kind.JDBC, POOL);
		((AbstractPlatformTransactionManager) transaction.getTransactionManager())
			.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		transaction.executeWithoutResult((status) -> {
			this.queue.enqueue("any");
			status.setRollbackOnly();
		});
		assertThat(this.told).hasValue(0);
		transaction.executeWithoutResult((status) -> {
			this.queue.enqueue("any");
			assertThat(this.told).hasValue(0);
		});
		assertThat(this.told).hasValue(1);
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(ints = { AbstractPlatformTransactionManager.SYNCHRONIZATION_ALWAYS,
			AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER })
	void anIdleThreadKeepsNoPayloadOfATransactionThatIsOver(int synchronization) {
		TransactionTemplate transaction = open(Kind.JDBC, POOL);
		((AbstractPlatformTransactionManager) transaction.getTransactionManager())
			.setTransactionSynchronization(synchronization);
		AtomicReference<WeakReference<EnqueuedJob>> seen = new AtomicReference<>();
		this.listeners.add(new QueueListener() {
			@Override
			public void enqueued(List<EnqueuedJob> jobs) {
				seen.set(new WeakReference<>(jobs.get(0)));
			}
		});
		transaction.executeWithoutResult((status) -> this.queue.enqueue("any", "payload"));
		await().until(() -> {
			System.gc();
			return seen.get().refersTo(null);
		});
	}

	private record FirstOfAll(Runnable work) implements TransactionSynchronization, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			this.work.run();
		}

	}

	private TransactionTemplate foreign(boolean tells) {
		JdbcTransactionManager foreign = new JdbcTransactionManager(schema().pool(""));
		if (tells) {
			CallersTransactions.listenTo(foreign);
		}
		return new TransactionTemplate(foreign);
	}

	private TransactionTemplate open(Kind kind, int connections) {
		HikariDataSource opened = schema().pool((settings) -> {
			settings.setAutoCommit(kind.autoCommit);
			settings.setMaximumPoolSize(connections);
			settings.setConnectionTimeout(5_000);
		});
		this.pool = opened;
		this.listeners.add(new QueueListener() {
			@Override
			public void enqueued(List<EnqueuedJob> jobs) {
				EnqueueAfterTransactionTests.this.told.incrementAndGet();
			}
		});
		Database database = new Database(opened);
		this.queue = new StoredJobQueue(new JdbcJobStore(database, StoreSettings.DEFAULT), new JdbcQueues(database),
				null, new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024), this.listeners,
				Audit.none());
		AbstractPlatformTransactionManager manager = kind.jpa ? jpa(opened, !kind.autoCommit)
				: new JdbcTransactionManager(opened);
		CallersTransactions.listenTo(manager);
		return new TransactionTemplate(manager);
	}

	private JpaTransactionManager jpa(DataSource dataSource, boolean withoutAutoCommit) {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setDataSource(dataSource);
		factory.setManagedTypes(PersistenceManagedTypes.of());
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		// Hibernate's questions about the database fail on MariaDB by MySQL's driver.
		factory.setJpaPropertyMap(Map.of("hibernate.boot.allow_jdbc_metadata_access", "false", "hibernate.dialect",
				"org.hibernate.dialect." + dialect(), "hibernate.connection.provider_disables_autocommit",
				withoutAutoCommit));
		factory.afterPropertiesSet();
		this.entityManagers = factory.getObject();
		JpaTransactionManager manager = new JpaTransactionManager(this.entityManagers);
		manager.setDataSource(dataSource);
		manager.afterPropertiesSet();
		return manager;
	}

	private String dialect() {
		return switch (this.testDatabase) {
			case MYSQL -> "MySQLDialect";
			case MARIADB -> "MariaDBDialect";
			case H2, H2_MYSQL_MODE -> "H2Dialect";
		};
	}

	private static void inCallback(TransactionTemplate transaction, Phase phase, Runnable work) {
		AtomicBoolean ran = new AtomicBoolean();
		transaction.executeWithoutResult((status) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					if (phase == Phase.AFTER_COMMIT) {
						work.run();
						ran.set(true);
					}
				}

				@Override
				public void afterCompletion(int outcome) {
					if (phase != Phase.AFTER_COMMIT) {
						work.run();
						ran.set(true);
					}
				}
			});
			if (phase == Phase.AFTER_ROLLBACK) {
				status.setRollbackOnly();
			}
		});
		assertThat(ran).isTrue();
	}

	enum Phase {

		AFTER_COMMIT, AFTER_COMPLETION, AFTER_ROLLBACK

	}

	enum Kind {

		JDBC(false, true), JDBC_WITHOUT_AUTO_COMMIT(false, false), JPA(true, true),
		JPA_WITHOUT_AUTO_COMMIT(true, false);

		private final boolean jpa;

		private final boolean autoCommit;

		Kind(boolean jpa, boolean autoCommit) {
			this.jpa = jpa;
			this.autoCommit = autoCommit;
		}

	}

}
