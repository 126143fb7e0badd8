package io.jobqueue.spring.actuate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import io.jobqueue.JobState;
import io.jobqueue.Limit;
import io.jobqueue.LimitStatus;
import io.jobqueue.QueueMode;
import io.jobqueue.store.Queues.Depth;
import io.jobqueue.store.Queues;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How depths and archive are measured when one of them is slow or fails.
 */
class QueueSamplerTests {

	private static final Depth MAIL = new Depth("mail", false, false, QueueMode.STANDARD, 3, 2, 0, 1, 4,
			Duration.ofSeconds(7));

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void anArchiveThatCannotBeCountedDoesNotFreezeTheDepths() {
		QueueSampler sampler = new QueueSampler(queues(() -> {
			throw new IllegalStateException("for a test");
		}), () -> ScheduleSample.NONE, () -> KeySample.NONE, Duration.ofMillis(1));
		new JobQueueMeters(this.registry, sampler, 2);
		assertThat(this.registry.get("jobqueue.sample.age").gauge().value()).isNaN();
		sampler.sample();
		assertThat(sampler.latest().depths()).containsExactly(MAIL);
		assertThat(this.registry.get("jobqueue.depth").tags("queue", "mail", "state", "ready").gauge().value())
			.isEqualTo(3);
		assertThat(this.registry.get("jobqueue.suspects").tags("queue", "mail").gauge().value()).isEqualTo(4);
		assertThat(this.registry.get("jobqueue.sample.age").gauge().value()).isNotNegative();
	}

	@Test
	void anArchiveThatTakesLongToCountDoesNotHoldUpTheDepths() {
		List<Thread> ofOthers = samplingThreads();
		CountDownLatch counted = new CountDownLatch(1);
		QueueSampler sampler = new QueueSampler(queues(() -> {
			counted.await();
			return Map.of(JobState.DEAD, 5L);
		}), () -> ScheduleSample.NONE, () -> KeySample.NONE, Duration.ofMillis(1));
		sampler.start();
		try {
			Awaitility.await().until(() -> sampler.latest().depths().contains(MAIL));
			assertThat(sampler.latest().archived()).isEmpty();
			counted.countDown();
			Awaitility.await().until(() -> sampler.latest().archived().equals(Map.of(JobState.DEAD, 5L)));
			assertThat(sampler.latest().depths()).containsExactly(MAIL);
			List<Thread> own = samplingThreads().stream().filter((thread) -> !ofOthers.contains(thread)).toList();
			assertThat(own).isNotEmpty().allMatch(Thread::isDaemon);
		}
		finally {
			sampler.stop();
		}
		Awaitility.await().until(() -> ofOthers.containsAll(samplingThreads()));
	}

	@Test
	void limitsAndBlockedKeysHaveMeters() {
		LimitStatus limit = new LimitStatus(Limit.of("partner").running(5), false, List.of("pay-out"), 5, 20, 300);
		QueueSampler sampler = new QueueSampler(queues(Map::of), () -> ScheduleSample.NONE,
				() -> new KeySample(List.of(limit), 2), Duration.ofMillis(1));
		new KeyMeters(this.registry, sampler);
		assertThat(this.registry.get("jobqueue.blocked.keys").gauge().value()).isZero();
		sampler.sample();
		assertThat(this.registry.get("jobqueue.blocked.keys").gauge().value()).isEqualTo(2);
		Map.of("running", 5, "ready", 20, "waiting", 300)
			.forEach((state, jobs) -> assertThat(
					this.registry.get("jobqueue.limit.jobs").tags("limit", "partner", "state", state).gauge().value())
				.isEqualTo(jobs.doubleValue()));
	}

	@Test
	void onlyTheBusiestQueuesHaveMetersOfTheirOwn() {
		QueueTags tags = new QueueTags(2);
		List<Depth> depths = List.of(depth("a", 1), depth("b", 30), depth("c", 2), depth("d", 20));
		assertThat(tags.busiest(depths)).extracting(Depth::queue).containsExactly("b", "d", QueueTags.OTHERS);
		assertThat(tags.busiest(depths)).last()
			.isEqualTo(new Depth(QueueTags.OTHERS, false, false, QueueMode.STANDARD, 3, 0, 0, 0, 0,
					Duration.ofSeconds(2)));
		assertThat(tags.busiest(depths.subList(0, 2))).extracting(Depth::queue).containsExactly("a", "b");
		assertThat(List.of("x", "y", "z", "y", "x").stream().map(tags::of)).containsExactly("x", "y", QueueTags.OTHERS,
				"y", "x");
	}

	private static Depth depth(String queue, long ready) {
		return new Depth(queue, false, false, QueueMode.STANDARD, ready, 0, 0, 0, 0, Duration.ofSeconds(ready));
	}

	private static List<Thread> samplingThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("jobqueue-sample-"))
			.toList();
	}

	private static Queues queues(Counting archived) {
		return (Queues) Proxy.newProxyInstance(QueueSamplerTests.class.getClassLoader(),
				new Class<?>[] { Queues.class },
				(proxy, method, arguments) -> method.getName().equals("depths") ? List.of(MAIL) : archived.count());
	}

	private interface Counting {

		Map<JobState, Long> count() throws Exception;

	}

}
