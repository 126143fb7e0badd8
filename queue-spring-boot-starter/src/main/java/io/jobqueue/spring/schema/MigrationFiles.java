package io.jobqueue.spring.schema;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The files of the queue's migrations, as Spring finds them. Flyway's own search does not
 * know the class paths of native images.
 */
final class MigrationFiles implements ResourceProvider {

	private final List<MigrationFile> files;

	/**
	 * Looks for the files.
	 * @param folder their folder on the class path, without a slash at either end
	 * @param loader what the class path is
	 */
	MigrationFiles(String folder, ClassLoader loader) {
		try {
			this.files = Arrays
				.stream(new PathMatchingResourcePatternResolver(loader).getResources("classpath*:" + folder + "/*"))
				.map((resource) -> new MigrationFile(folder, resource))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public @Nullable LoadableResource getResource(String name) {
		return this.files.stream().filter((file) -> file.getRelativePath().equals(name)).findFirst().orElse(null);
	}

	@Override
	public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
		return this.files.stream()
			.filter((file) -> file.getFilename().startsWith(prefix)
					&& Arrays.stream(suffixes).anyMatch(file.getFilename()::endsWith))
			.map(LoadableResource.class::cast)
			.toList();
	}

	private static final class MigrationFile extends LoadableResource {

		private final String folder;

		private final Resource resource;

		MigrationFile(String folder, Resource resource) {
			this.folder = folder;
			this.resource = resource;
		}

		@Override
		public Reader read() {
			try {
				return new InputStreamReader(this.resource.getInputStream(), StandardCharsets.UTF_8);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public String getAbsolutePath() {
			return this.folder + "/" + getFilename();
		}

		@Override
		public String getAbsolutePathOnDisk() {
			return getAbsolutePath();
		}

		@Override
		public String getFilename() {
			return Objects.requireNonNull(this.resource.getFilename());
		}

		@Override
		public String getRelativePath() {
			return getFilename();
		}

	}

}
