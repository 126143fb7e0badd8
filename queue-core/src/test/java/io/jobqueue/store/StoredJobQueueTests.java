package io.jobqueue.store;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What is checked before a job goes to the database.
 */
class StoredJobQueueTests {

	private static final String TEA = "\uD83C\uDF75";

	private final List<EnqueuedJob> stored = new ArrayList<>();

	private final ApplicationStore store = (ApplicationStore) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { ApplicationStore.class }, (proxy, called, arguments) -> {
				for (Object job : (List<?>) arguments[0]) {
					this.stored.add((EnqueuedJob) job);
				}
				return new Enqueued(List.of(1L), List.of());
			});

	private final StoredJobQueue queue = new StoredJobQueue(this.store, null, null,
			new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 16), new QueueListeners(), Audit.none());

	@ParameterizedTest
	@ValueSource(strings = { "", "plain", "grüße", TEA, TEA + TEA, "a" + TEA + "b" })
	void whatIsTextIsStored(String payload) {
		this.queue.enqueue(NewJob.of("any", payload));
		assertThat(this.stored).extracting(EnqueuedJob::payload).containsExactly(payload);
	}

	/** Written by number: a file of source cannot hold them. */
	@ParameterizedTest
	@ValueSource(strings = { "D83C", "DF75", "61 D83C", "D83C 61", "DF75 D83C", "D83C D83C", "D83C DF75 DF75" })
	void halfOfASurrogatePairIsRefused(String characters) {
		StringBuilder payload = new StringBuilder();
		for (String character : characters.split(" ")) {
			payload.append((char) Integer.parseInt(character, 16));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> this.queue.enqueue(NewJob.of("any", payload.toString())))
			.withMessageContaining("unpaired surrogate");
		assertThat(this.stored).isEmpty();
	}

	@Test
	void aPayloadIsMeasuredInBytes() {
		this.queue.enqueue(NewJob.of("any", TEA.repeat(4)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.queue.enqueue(NewJob.of("any", TEA.repeat(4) + "a")))
			.withMessageContaining("16 bytes, but has 17");
		assertThat(this.stored).hasSize(1);
	}

}
