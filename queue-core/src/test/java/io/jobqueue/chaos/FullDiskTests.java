package io.jobqueue.chaos;

import java.time.Duration;

import io.jobqueue.chaos.SmallDisks.Disk;
import io.jobqueue.test.Programs;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server has no room left for its data, which makes statements fail, or for its
 * binary log, which makes commits wait until there is room again: MySQL looks once a
 * minute.
 */
@TakesLong
class FullDiskTests extends ChaosTests {

	private static final Duration FULL_FOR = Duration.ofSeconds(30);

	private SmallDisks disks;

	@Override
	TestSchema createSchema() {
		require(Programs.MYSQLD);
		require(SmallDisks.arePossible(), "mounting a tmpfs in a namespace of its own is not allowed here");
		this.disks = closedAtEnd(new SmallDisks());
		return this.disks.server.createSchema();
	}

	@ParameterizedTest
	@EnumSource
	@BesideOthers
	void nothingIsLostAndWorkersGoOnWhenThereIsRoomAgain(Disk disk) throws InterruptedException {
		fillFor(disk, () -> {
		});
	}

	/**
	 * MySQL ends now and then when it finds no room for its data, and cannot start before
	 * there is some.
	 */
	@Test
	@BesideOthers
	void soDoTheyIfTheServerHasEndedMeanwhile() throws InterruptedException {
		fillFor(Disk.DATA, this.disks::crash);
		assertThat(this.disks.crashes()).isNotEmpty();
	}

	private void fillFor(Disk disk, Runnable whileFull) throws InterruptedException {
		WorkerProcess first = this.chaos.start(patient()).awaitReady();
		WorkerProcess second = this.chaos.start(patient()).awaitReady();
		Producer producer = this.chaos.producer(Duration.ofMillis(10));
		Thread.sleep(3000);
		this.chaos.history.note("fill " + disk);
		this.disks.fill(disk);
		whileFull.run();
		Thread.sleep(FULL_FOR.toMillis());
		this.chaos.history.note("free " + disk);
		this.disks.free(disk);
		Thread.sleep(3000);
		this.disks.crashes().forEach(System.out::println);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(first.isAlive() && second.isAlive()).as("workers are alive").isTrue();
	}

	/**
	 * An attempt whose handler finds no room has failed, and counts if there is just
	 * enough room to store that.
	 */
	private WorkerArguments patient() {
		return this.chaos.worker().withRetry(20, Duration.ofSeconds(2));
	}

}
