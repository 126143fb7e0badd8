package io.jobqueue.spring.handler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.jobqueue.JobHandler;
import io.jobqueue.rule.HandlerTypes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * The handlers that the annotation processor saw, whether beans have them or not: it
 * writes a list for each class. Without the processor there are none.
 */
public final class HandlerLists {

	private static final Logger log = LoggerFactory.getLogger(HandlerLists.class);

	private static final String LISTS = "classpath*:META-INF/jobqueue/*.handlers";

	private final ResourceLoader resources;

	private final ConfigurableListableBeanFactory beans;

	/**
	 * Creates it.
	 * @param resources where the lists are
	 * @param beans what resolves placeholders
	 */
	public HandlerLists(ResourceLoader resources, ConfigurableListableBeanFactory beans) {
		this.resources = resources;
		this.beans = beans;
	}

	/**
	 * The types of all handlers whose class still has some.
	 * @return the types, those of dead jobs too
	 * @throws IOException if a list cannot be read
	 */
	public Set<String> types() throws IOException {
		Set<String> types = new HashSet<>();
		read().forEach((className, ofClass) -> {
			if (classWithHandlers(className) != null) {
				types.addAll(ofClass);
			}
		});
		return types;
	}

	/**
	 * What the lists say. Classes may have been deleted since, if the build does not
	 * begin anew.
	 * @return the types of the handlers of each class
	 */
	Map<String, List<String>> read() throws IOException {
		Map<String, List<String>> types = new HashMap<>();
		for (Resource list : new PathMatchingResourcePatternResolver(this.resources).getResources(LISTS)) {
			String file = Objects.toString(list.getFilename(), "");
			types.put(file.substring(0, file.length() - ".handlers".length()),
					list.getContentAsString(StandardCharsets.UTF_8)
						.lines()
						.map(this::type)
						.filter(Objects::nonNull)
						.toList());
		}
		return types;
	}

	/**
	 * The type of a handler; null if it cannot be told.
	 */
	private @Nullable String type(String line) {
		String[] parts = line.split("\t");
		if (parts.length < 2 || parts[1].contains("#{")) {
			// To evaluate an expression may create a bean.
			return null;
		}
		try {
			return HandlerTypes.of(Objects.toString(this.beans.resolveEmbeddedValue(parts[1]), ""),
					parts[0].equals("dead"));
		}
		catch (RuntimeException ex) {
			log.debug("It cannot be told which jobs a handler is for: {}", line, ex);
			return null;
		}
	}

	/**
	 * A class of a list; null if it is gone, or has no handler any more.
	 */
	@Nullable AnnotationMetadata classWithHandlers(String name) {
		try {
			AnnotationMetadata type = classes().getMetadataReader(name).getAnnotationMetadata();
			return type.hasAnnotatedMethods(JobHandler.class.getName()) ? type : null;
		}
		catch (IOException ex) {
			log.debug("The class {} of a list of handlers is not there", name, ex);
			return null;
		}
	}

	MetadataReaderFactory classes() {
		return MetadataReaderFactory.create(this.resources);
	}

}
