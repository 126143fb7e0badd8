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
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;
import io.jobqueue.spring.payload.JacksonPayloads;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.worker.Handlers;

/**
 * Payloads as releases have written them, in files that are kept with the tests: jobs
 * live for longer than the code that has enqueued them. A test fails if a handler's type
 * has changed such that it cannot read them any more, or no longer reads all of them.
 * <p>
 * Files are written if the system property {@value #RECORD} is {@code true}, and are to
 * be committed. Each has the payload of one job: {@code <folder>/<type>/<name>.json}.
 * With a {@link PayloadFormat} of the application's own, a field that is lost is noticed
 * only if that format refuses it.
 */
public final class PayloadRecords {

	/** The system property that has new files written. */
	public static final String RECORD = "jobqueue-test.record";

	private final Path folder;

	private final Handlers handlers;

	private final PayloadFormat format;

	/** A handler of dead jobs may leave out what its own type does not have. */
	private final PayloadFormat lenient;

	private final Map<String, Map<String, Object>> samples = new LinkedHashMap<>();

	/** The types of all handlers that were compiled: a test may have a few of them. */
	private final Set<String> compiled;

	PayloadRecords(Path folder, Handlers handlers, Set<String> compiled, PayloadFormat format) {
		this.compiled = compiled;
		this.folder = folder;
		this.handlers = handlers;
		this.lenient = format;
		this.format = (format instanceof JacksonPayloads jackson) ? jackson.strict() : format;
	}

	/**
	 * Gives an example of a payload as this version enqueues it.
	 * @param type the job type
	 * @param name the example's name, which becomes that of its file, such as
	 * {@code first}; another one when fields change
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
	 * Reads all files as the handlers' types. Those of handlers that this test has not
	 * are left alone, where the annotation processor has listed them. Writes the files of
	 * new examples first, if that is asked for; one that is there is never changed.
	 * @throws AssertionError if one cannot be read, or not all of it; if a handler with a
	 * payload has no file; or if an example has none
	 */
	public void verify() {
		List<String> problems = new ArrayList<>();
		if (Boolean.getBoolean(RECORD)) {
			record();
		}
		recordedTypes().stream()
			.filter((type) -> this.handlers.payloadType(type) == null)
			.filter((type) -> this.handlers.find(type) != null || !this.compiled.contains(type))
			.forEach((type) -> problems.add(this.folder.resolve(type) + ": no handler takes a payload of '" + type
					+ "' jobs any more. Delete the folder once no such job can be there"));
		for (String type : this.handlers.types()) {
			Type payloadType = this.handlers.payloadType(type);
			if (payloadType != null) {
				verify(type, payloadType, problems);
			}
			Type ofDead = this.handlers.payloadTypeOfDead(type);
			if (ofDead != null) {
				read(type, this.lenient, ofDead, "dead jobs that were enqueued like this can no longer be told of",
						problems);
			}
		}
		if (!problems.isEmpty()) {
			throw new AssertionError(String.join("\n", problems));
		}
	}

	private void verify(String type, Type payloadType, List<String> problems) {
		List<Path> files = files(type);
		read(type, this.format, payloadType, "jobs that were enqueued like this can no longer be run", problems);
		Map<String, Object> ofType = this.samples.getOrDefault(type, Map.of());
		ofType.forEach((name, payload) -> {
			if (files.contains(file(type, name))) {
				compare(type, name, payload, problems);
			}
			else {
				problems.add(file(type, name) + ": is not there. Run the test once with -D" + RECORD
						+ "=true, and commit the file");
			}
		});
		if (files.isEmpty() && ofType.isEmpty()) {
			problems.add("'" + type + "' jobs have no record in " + this.folder
					+ ", and no example: give one by sample(\"" + type + "\", ...)");
		}
	}

	private void read(String type, PayloadFormat format, Type payloadType, String what, List<String> problems) {
		for (Path file : files(type)) {
			try {
				if (format.read(text(file), payloadType) == null) {
					problems.add(file + ": stands for null, which no handler takes");
				}
			}
			catch (PermanentJobException ex) {
				problems.add(file + ": " + lost(file, format, payloadType).orElse(what + ". " + ex.getMessage()));
			}
		}
	}

	/**
	 * What jobs would lose without a word, as the application reads them.
	 */
	private Optional<String> lost(Path file, PayloadFormat format, Type payloadType) {
		if (format == this.lenient || !(format instanceof JacksonPayloads strict)) {
			return Optional.empty();
		}
		try {
			String payload = text(file);
			this.lenient.read(payload, payloadType);
			return strict.unknownProperty(payload, payloadType)
				.map((name) -> "jobs that were enqueued like this would lose '" + name + "', which "
						+ payloadType.getTypeName() + " does not have. If it was renamed, the new one needs "
						+ "@JsonAlias; if it is to be left out, the type needs @JsonIgnoreProperties");
		}
		catch (PermanentJobException ex) {
			return Optional.empty();
		}
	}

	private List<String> recordedTypes() {
		if (!Files.isDirectory(this.folder)) {
			return List.of();
		}
		try (Stream<Path> types = Files.list(this.folder)) {
			return types.filter(Files::isDirectory).map((type) -> type.getFileName().toString()).sorted().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What is written now must be on record too, or the next release would not be tested
	 * with it.
	 */
	private void compare(String type, String name, Object payload, List<String> problems) {
		if (!JsonShape.of(text(file(type, name))).equals(JsonShape.of(write(type, payload)))) {
			problems.add(file(type, name) + ": the example is written with other fields now. Leave the file, and give "
					+ "the example another name");
		}
	}

	private static String text(Path file) {
		try {
			return Files.readString(file).strip();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
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

	private String write(String type, Object payload) {
		PayloadTypes types = this.handlers::payloadType;
		return types.write(this.format, type, payload);
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
				String text = write(type, payload);
				Files.createDirectories(file.getParent());
				Files.writeString(file, text + "\n");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}));
	}

}
