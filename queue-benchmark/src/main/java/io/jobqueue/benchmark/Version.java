package io.jobqueue.benchmark;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.springframework.util.FileSystemUtils;

/**
 * A version of this program, as its executable jar, in a class loader of its own.
 */
final class Version implements AutoCloseable {

	private static final String CLASSES = "BOOT-INF/classes/";

	private static final String LIBRARIES = "BOOT-INF/lib/";

	private static final String CLASS_PATH = "java.class.path";

	private final Path jar;

	private final Path folder;

	private final URLClassLoader loader;

	private final Method measure;

	/**
	 * Loads a version.
	 * @param jar its executable jar
	 * @throws IllegalArgumentException if that is none, or one from before versions could
	 * be compared
	 */
	Version(Path jar) throws IOException {
		this.jar = jar.toAbsolutePath();
		this.folder = Files.createTempDirectory("benchmark");
		this.loader = new URLClassLoader(unpack(), ClassLoader.getPlatformClassLoader());
		try {
			// Drivers are found by the services of the first class loader only.
			Class.forName("com.mysql.cj.jdbc.Driver", true, this.loader);
			this.measure = this.loader.loadClass(Benchmark.class.getName()).getMethod("measure", String[].class);
		}
		catch (ReflectiveOperationException ex) {
			close();
			throw new IllegalArgumentException(jar + " is no benchmark.jar that can be compared (" + ex + ")", ex);
		}
	}

	private URL[] unpack() throws IOException {
		// The URL of a folder that is not there yet would be that of a file.
		Path classes = Files.createDirectories(this.folder.resolve(CLASSES));
		List<URL> urls = new ArrayList<>(List.of(classes.toUri().toURL()));
		try (ZipFile zip = new ZipFile(this.jar.toFile())) {
			for (ZipEntry entry : Collections.list(zip.entries())) {
				Path file = this.folder.resolve(entry.getName());
				if (entry.isDirectory() || !entry.getName().startsWith("BOOT-INF/")) {
					continue;
				}
				Files.createDirectories(file.getParent());
				try (InputStream content = zip.getInputStream(entry)) {
					Files.copy(content, file);
				}
				if (entry.getName().startsWith(LIBRARIES)) {
					urls.add(file.toUri().toURL());
				}
			}
		}
		return urls.toArray(URL[]::new);
	}

	/**
	 * Measures with this version.
	 * @param arguments as of the program
	 * @return the lines of the runs
	 * @throws Exception if it fails
	 */
	@SuppressWarnings("unchecked")
	List<String> measure(List<String> arguments) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader usual = thread.getContextClassLoader();
		String usualPath = System.getProperty(CLASS_PATH);
		thread.setContextClassLoader(this.loader);
		// Scenarios with several processes start them from here.
		System.setProperty(CLASS_PATH, this.jar.toString());
		try {
			return (List<String>) this.measure.invoke(null, (Object) arguments.toArray(String[]::new));
		}
		catch (InvocationTargetException ex) {
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
		finally {
			System.setProperty(CLASS_PATH, usualPath);
			thread.setContextClassLoader(usual);
		}
	}

	@Override
	public void close() throws IOException {
		this.loader.close();
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
