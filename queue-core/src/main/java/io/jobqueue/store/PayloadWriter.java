package io.jobqueue.store;

import java.lang.reflect.Type;

import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;

/**
 * Writes the payloads of new jobs as text, and refuses what no job could be stored with.
 */
public final class PayloadWriter {

	private final PayloadFormat format;

	private final PayloadTypes types;

	private final int maxPayload;

	/**
	 * Creates a writer.
	 * @param format how payloads are written
	 * @param types as what they are read
	 * @param maxPayload the largest payload, in bytes of UTF-8
	 */
	public PayloadWriter(PayloadFormat format, PayloadTypes types, int maxPayload) {
		this.format = format;
		this.types = types;
		this.maxPayload = maxPayload;
	}

	/**
	 * Writes a job's payload.
	 * @param job the job
	 * @return the job with its payload as text
	 * @throws IllegalArgumentException if the payload cannot be written or is too large
	 */
	EnqueuedJob written(NewJob job) {
		Object payload = job.payload();
		if (payload == null) {
			return new EnqueuedJob(job, null);
		}
		Type type = job.payloadType();
		String text = (type != null) ? this.format.write(payload, type)
				: this.types.write(this.format, job.type(), payload);
		if (PayloadSize.exceeds(text, this.maxPayload)) {
			throw new IllegalArgumentException("payload of a '" + job.type() + "' job must not be over "
					+ this.maxPayload + " bytes, but has " + PayloadSize.of(text)
					+ "; store large data elsewhere and enqueue a reference, or raise jobqueue.max-payload-size");
		}
		if (hasHalfOfASurrogatePair(text)) {
			throw new IllegalArgumentException(
					"payload of a '" + job.type() + "' job must not contain an unpaired surrogate (invalid UTF-16)");
		}
		return new EnqueuedJob(job, text);
	}

	/**
	 * No encoder is asked: it costs more than the rest of what is done here for a job.
	 */
	private static boolean hasHalfOfASurrogatePair(String text) {
		for (int i = 0; i < text.length(); i++) {
			char character = text.charAt(i);
			if (Character.isSurrogate(character)) {
				boolean isPair = i + 1 < text.length() && Character.isSurrogatePair(character, text.charAt(i + 1));
				if (!isPair) {
					return true;
				}
				i++;
			}
		}
		return false;
	}

}
