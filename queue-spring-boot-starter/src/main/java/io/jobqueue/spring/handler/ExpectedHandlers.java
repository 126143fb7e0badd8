package io.jobqueue.spring.handler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.jobqueue.JobHandler;
import io.jobqueue.rule.HandlerTypes;
import io.jobqueue.worker.Handlers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;

/**
 * Says which handlers the annotation processor saw and no bean has: their class is none,
 * though it is in a package that the application scans. Without the processor nothing is
 * known of them. Classes with a condition are left out on purpose.
 */
public final class ExpectedHandlers implements ApplicationListener<ContextRefreshedEvent> {

	private static final Logger log = LoggerFactory.getLogger(ExpectedHandlers.class);

	private static final String LISTS = "classpath*:META-INF/jobqueue/*.handlers";

	private static final int MOST = 20;

	private final ResourceLoader resources;

	private final ConfigurableListableBeanFactory beans;

	private final Handlers handlers;

	private final AtomicBoolean said = new AtomicBoolean();

	/**
	 * Creates it.
	 * @param resources where the lists are
	 * @param beans what resolves placeholders
	 * @param handlers what was found
	 */
	public ExpectedHandlers(ResourceLoader resources, ConfigurableListableBeanFactory beans, Handlers handlers) {
		this.resources = resources;
		this.beans = beans;
		this.handlers = handlers;
	}

	/**
	 * Says what is missing: all handlers that there are have been found by now. Never
	 * keeps the application from starting.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		// Contexts below this one, such as that of the management server, tell it too.
		if (this.said.getAndSet(true)) {
			return;
		}
		try {
			Map<String, String> missing = missing();
			if (!missing.isEmpty()) {
				log.warn(
						"No bean has the job handlers of {}{}, so this node does not run these jobs: make their classes "
								+ "beans; or put a condition, such as @Profile, on those that are left out on purpose",
						named(missing), (missing.size() > MOST) ? " and others" : "");
			}
		}
		catch (IOException | RuntimeException ex) {
			log.debug("It cannot be told whether handlers are missing", ex);
		}
	}

	private static String named(Map<String, String> missing) {
		return missing.entrySet()
			.stream()
			.limit(MOST)
			.map((entry) -> "'" + entry.getKey() + "' (" + entry.getValue() + ")")
			.collect(Collectors.joining(", "));
	}

	private Map<String, String> missing() throws IOException {
		Map<String, String> missing = new TreeMap<>();
		for (Resource list : new PathMatchingResourcePatternResolver(this.resources).getResources(LISTS)) {
			String file = Objects.toString(list.getFilename(), "");
			String className = file.substring(0, file.length() - ".handlers".length());
			List<String> types = list.getContentAsString(StandardCharsets.UTF_8)
				.lines()
				.map(this::missingType)
				.filter(Objects::nonNull)
				.toList();
			if (!types.isEmpty() && isExpected(className)) {
				types.forEach((type) -> missing.put(type, className));
			}
		}
		return missing;
	}

	/**
	 * The type of a handler that nobody has; null if somebody has it, or it cannot be
	 * told.
	 */
	private @Nullable String missingType(String line) {
		String[] parts = line.split("\t");
		if (parts.length < 2 || parts[1].contains("#{")) {
			// To evaluate an expression may create a bean.
			return null;
		}
		try {
			String type = HandlerTypes.of(Objects.toString(this.beans.resolveEmbeddedValue(parts[1]), ""),
					parts[0].equals("dead"));
			return (this.handlers.find(type) != null) ? null : type;
		}
		catch (RuntimeException ex) {
			log.debug("It cannot be told whether a handler is missing: {}", line, ex);
			return null;
		}
	}

	/**
	 * Whether a class should be a bean: the application scans its package, it still has
	 * handlers, and no condition leaves it out. A nested class that says nothing is for
	 * somebody's own use, such as a test's; one that a bean's class inherits from may
	 * have other types there.
	 */
	private boolean isExpected(String className) {
		try {
			MetadataReaderFactory classes = MetadataReaderFactory.create(this.resources);
			AnnotationMetadata type = classes.getMetadataReader(className).getAnnotationMetadata();
			String outer = type.getEnclosingClassName();
			boolean isForUse = outer == null || (type.isAnnotated(Component.class.getName())
					&& !isConditional(classes.getMetadataReader(outer).getAnnotationMetadata()));
			return isForUse && isScanned(className) && !type.isAbstract() && !isConditional(type)
					&& type.hasAnnotatedMethods(JobHandler.class.getName()) && !isInherited(className);
		}
		catch (IOException | ClassNotFoundException | LinkageError ex) {
			log.debug("The class {} of a list of handlers is not there", className, ex);
			return false;
		}
	}

	private boolean isScanned(String className) {
		return !AutoConfigurationPackages.has(this.beans) || AutoConfigurationPackages.get(this.beans)
			.stream()
			.anyMatch((scanned) -> scanned.isEmpty() || className.startsWith(scanned + "."));
	}

	private boolean isInherited(String className) throws ClassNotFoundException {
		Class<?> type = ClassUtils.forName(className, this.resources.getClassLoader());
		return this.beans.getBeanNamesForType(type, true, false).length > 0;
	}

	private static boolean isConditional(AnnotationMetadata type) {
		return type.isAnnotated(Conditional.class.getName());
	}

}
