package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;
import io.jobqueue.spring.payload.JacksonPayloads;
import io.jobqueue.worker.Handlers;

/**
 * Payloads as releases have written them, in files that are kept with the tests: jobs
 * live for longer than the code that has enqueued them. A test fails if a handler's type
 * has changed such that it cannot read them any more, or no longer reads all of them.
 * <p>
 * Files are written if the system property {@value #RECORD} is {@code true}, and are to
 * be committed. Each has the payload of one job: {@code <folder>/<type>/<name>.json}.
 */
public final class PayloadRecords {

	/** The system property that has new files written. */
	public static final String RECORD = "jobqueue.test.record";

	private final Path folder;

	private final Handlers handlers;

	private final PayloadFormat format;

	private final Map<String, Map<String, Object>> samples = new LinkedHashMap<>();

	PayloadRecords(Path folder, Handlers handlers, PayloadFormat format) {
		this.folder = folder;
		this.handlers = handlers;
		this.format = (format instanceof JacksonPayloads jackson) ? jackson.strict() : format;
	}

	/**
	 * Gives an example of what is enqueued now.
	 * @param type the job type
	 * @param name the example's name, which becomes that of its file
	 * @param payload the payload
	 * @return this
	 * @throws IllegalArgumentException if no handler takes a payload of that type
	 */
	public PayloadRecords sample(String type, String name, Object payload) {
		if (this.handlers.payloadType(type) == null) {
			throw new IllegalArgumentException("No handler takes a payload of '" + type + "' jobs");
		}
		this.samples.computeIfAbsent(type, (key) -> new LinkedHashMap<>()).put(name, payload);
		return this;
	}

	/**
	 * Reads all files as the handlers' types. Writes the files of new examples first, if
	 * that is asked for; one that is there is never changed.
	 * @throws AssertionError if one cannot be read, or not all of it; if a handler with a
	 * payload has no file; or if an example has none
	 */
	public void verify() {
		List<String> problems = new ArrayList<>();
		if (Boolean.getBoolean(RECORD)) {
			record();
		}
		for (String type : this.handlers.types()) {
			Type payloadType = this.handlers.payloadType(type);
			if (payloadType != null) {
				verify(type, payloadType, problems);
			}
		}
		if (!problems.isEmpty()) {
			throw new AssertionError(String.join("\n", problems));
		}
	}

	private void verify(String type, Type payloadType, List<String> problems) {
		List<Path> files = files(type);
		for (Path file : files) {
			try {
				if (this.format.read(Files.readString(file).strip(), payloadType) == null) {
					problems.add(file + ": stands for null, which no handler takes");
				}
			}
			catch (PermanentJobException ex) {
				problems.add(file + ": jobs that were enqueued like this can no longer be run. " + ex.getMessage());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		Map<String, Object> ofType = this.samples.getOrDefault(type, Map.of());
		ofType.keySet()
			.stream()
			.filter((name) -> !files.contains(file(type, name)))
			.forEach((name) -> problems.add(file(type, name) + ": is not there. Run the test once with -D" + RECORD
					+ "=true, and commit the file"));
		if (files.isEmpty() && ofType.isEmpty()) {
			problems.add("'" + type + "' jobs have no record in " + this.folder
					+ ", and no example: give one by sample(\"" + type + "\", ...)");
		}
	}

	private List<Path> files(String type) {
		Path ofType = this.folder.resolve(type);
		if (!Files.isDirectory(ofType)) {
			return List.of();
		}
		try (Stream<Path> files = Files.list(ofType)) {
			return files.filter((file) -> file.toString().endsWith(".json")).sorted().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path file(String type, String name) {
		return this.folder.resolve(type).resolve(name + ".json");
	}

	private void record() {
		this.samples.forEach((type, named) -> named.forEach((name, payload) -> {
			Path file = file(type, name);
			if (Files.exists(file)) {
				return;
			}
			try {
				Type payloadType = this.handlers.payloadType(type);
				String text = (payloadType != null) ? this.format.write(payload, payloadType)
						: this.format.write(payload);
				Files.createDirectories(file.getParent());
				Files.writeString(file, text + "\n");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}));
	}

}
