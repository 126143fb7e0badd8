package io.jobqueue.spring.archive;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;

import io.jobqueue.ArchivedJob;
import io.jobqueue.JobArchiveSink;

import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * Stores archived jobs in files, a JSON object in each line, packed by gzip:
 * {@code jobs-20261126T024458Z-1a2b3c4d.ndjson.gz}. Each batch is forced to the disk
 * before this returns. A file that has its size is followed by another one, and so is one
 * to which a batch could not be written.
 * <p>
 * A job that comes again stands in the files twice, with the same id, fence and
 * {@code enqueuedAt}. If the machine stops during a write, the file ends with a part of a
 * batch, of which nothing was deleted from the database.
 */
public final class NdjsonArchiveSink implements JobArchiveSink {

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
		.withZone(ZoneOffset.UTC);

	private final Path directory;

	private final long maxBytes;

	private @Nullable Path current;

	/**
	 * Creates a sink.
	 * @param directory where the files are to be; made if it is not there. Several
	 * processes may share it
	 * @param maxSize from which size on a file is followed by another one
	 */
	public NdjsonArchiveSink(Path directory, DataSize maxSize) {
		this.directory = directory;
		this.maxBytes = maxSize.toBytes();
	}

	@Override
	public synchronized void store(List<ArchivedJob> jobs) throws IOException {
		Path file = file();
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			long before = channel.size();
			channel.position(before);
			boolean done = false;
			try {
				write(jobs, channel);
				channel.force(true);
				done = true;
			}
			finally {
				if (!done) {
					// What was written of the batch must not stand before the next one.
					this.current = null;
					channel.truncate(before);
				}
			}
		}
	}

	@Override
	public void check() throws IOException {
		Files.createDirectories(this.directory);
		if (!Files.isWritable(this.directory)) {
			throw new AccessDeniedException(this.directory.toString());
		}
	}

	private Path file() throws IOException {
		Path known = this.current;
		if (known != null && Files.exists(known) && Files.size(known) < this.maxBytes) {
			return known;
		}
		Files.createDirectories(this.directory);
		Path next = this.directory.resolve("jobs-" + TIME.format(Instant.now()) + "-"
				+ UUID.randomUUID().toString().substring(0, 8) + ".ndjson.gz");
		this.current = next;
		return next;
	}

	private static void write(List<ArchivedJob> jobs, FileChannel channel) throws IOException {
		// Closing the stream of a channel would close the channel, which is still needed.
		GZIPOutputStream packed = new GZIPOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
		OutputStream lines = new BufferedOutputStream(packed);
		for (ArchivedJob job : jobs) {
			lines.write(ArchivedJobJson.bytes(job));
			lines.write('\n');
		}
		lines.flush();
		packed.finish();
		packed.flush();
	}

	@Override
	public String toString() {
		return "NDJSON files in " + this.directory;
	}

}
