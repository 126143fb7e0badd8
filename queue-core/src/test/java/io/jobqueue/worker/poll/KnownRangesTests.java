package io.jobqueue.worker.poll;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.NewJob;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.OrderSignal;
import io.jobqueue.worker.session.WorkerSession;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the list of ranges is read anew.
 */
class KnownRangesTests {

	private final AtomicLong clock = new AtomicLong(1);

	private final AtomicInteger reads = new AtomicInteger();

	private Duration cost = Duration.ofMillis(1);

	private final JobStore store = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
				if (called.getName().equals("registerTypes")) {
					return Map.of();
				}
				pass(this.cost);
				this.reads.incrementAndGet();
				return new JobStore.Ranges(
						List.of(new ReadyRange("ours", 4, 0, Degree.NONE, false, Duration.ofSeconds(2)),
								new ReadyRange("theirs", 4, 0, Degree.NONE, false, Duration.ZERO)),
						false, false, Set.of(), 0);
			});

	private final WorkerSettings settings = new WorkerSettings("any", List.of("ours"), WorkerSettings.Slots.DEFAULT,
			WorkerSettings.Timing.DEFAULT);

	private final NewRanges enqueuedHere = new NewRanges(this.settings, Set.of("work"), new OrderSignal(() -> {
	}));

	private final KnownRanges ranges = new KnownRanges(this.store, new ServedRanges(this.settings),
			new OwnTypes(this.store, Map.of(), () -> 0), this.enqueuedHere, () -> new WorkerSession.Beats(1, 0),
			this.clock::get);

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void theyAreThoseThatTheWorkerServes() {
		assertThat(this.ranges.current(false)).extracting(ReadyRange::queue).containsExactly("ours");
	}

	@Test
	void theyAreReadForEachClaimThatIsNotInAHurry() {
		this.ranges.current(false);
		this.ranges.current(false);
		assertThat(this.reads).hasValue(2);
	}

	@Test
	void inAHurryTheyAreReadEveryFiftyMilliseconds() {
		this.ranges.current(false);
		pass(Duration.ofMillis(40));
		this.ranges.current(true);
		assertThat(this.reads).hasValue(1);
		pass(Duration.ofMillis(10));
		this.ranges.current(true);
		assertThat(this.reads).hasValue(2);
	}

	@Test
	void oneThatIsKnownIsDueWhenItsTimeHasComeWithoutReadingItAgain() {
		this.ranges.current(false);
		pass(Duration.ofMillis(30));
		assertThat(this.ranges.current(true)).extracting(ReadyRange::dueIn).containsExactly(Duration.ofMillis(1_970));
	}

	@Test
	void readingThatTakesLongTakesATenthOfTheTime() {
		readTwice(Duration.ofMillis(100));
		pass(Duration.ofMillis(999));
		assertThat(this.ranges.current(false)).extracting(ReadyRange::isDue).containsExactly(false);
		assertThat(this.reads).hasValue(2);
		pass(Duration.ofMillis(1));
		assertThat(this.ranges.current(false)).hasSize(1);
		assertThat(this.reads).hasValue(3);
	}

	private void readTwice(Duration cost) {
		this.cost = cost;
		this.ranges.current(false);
		this.ranges.current(false);
	}

	@Test
	void aReadThatTookLongOnceWasHeldUpBySomethingElse() {
		this.ranges.current(false);
		this.cost = Duration.ofSeconds(29);
		this.ranges.current(false);
		this.ranges.current(false);
		assertThat(this.reads).hasValue(3);
	}

	@Test
	void aNewRangeIsKnownAfterTwoSecondsHoweverLongReadingTakes() {
		readTwice(Duration.ofSeconds(20));
		pass(Duration.ofSeconds(2));
		this.ranges.current(false);
		assertThat(this.reads).hasValue(3);
	}

	private static EnqueuedJob enqueued(String type, String queue, Duration delay) {
		return new EnqueuedJob(NewJob.of(type).queue(queue).delay(delay), null);
	}

	@Test
	void whatWasEnqueuedHereIsKnownBeforeTheNextRead() {
		this.ranges.current(false);
		pass(Duration.ofMillis(10));
		this.enqueuedHere
			.enqueued(List.of(enqueued("work", "ours", Duration.ZERO), enqueued("work", "ours", Duration.ofHours(1)),
					enqueued("other", "ours", Duration.ZERO), enqueued("work", "theirs", Duration.ZERO)));
		assertThat(this.ranges.current(true)).as("one that was not due, and none that is not served or handled")
			.singleElement()
			.matches(ReadyRange::isDue)
			.matches((range) -> range.queue().equals("ours") && range.priority() == 4);
		assertThat(this.reads).hasValue(1);
		pass(Duration.ofMillis(50));
		assertThat(this.ranges.current(true)).as("as it was read").singleElement().matches((range) -> !range.isDue());
	}

	/** The read may have begun before it was committed. */
	@Test
	void whatWasEnqueuedHereAgainDuringAReadIsKnown() {
		this.ranges.current(false);
		NewRanges notes = this.enqueuedHere;
		notes.enqueued(List.of(enqueued("work", "ours", Duration.ZERO)));
		Map<ReadyRange, Long> before = notes.all();
		notes.enqueued(List.of(enqueued("work", "ours", Duration.ZERO)));
		notes.forget(before);
		assertThat(notes.all()).hasSize(1);
		notes.forget(notes.all());
		assertThat(notes.all()).isEmpty();
	}

	@Test
	void aNewPriorityIsANewRange() {
		this.ranges.current(false);
		this.enqueuedHere.enqueued(List.of(new EnqueuedJob(NewJob.of("work").queue("ours").priority(9), null)));
		assertThat(this.ranges.current(true)).extracting(ReadyRange::priority).containsExactly(4, 9);
	}

}
