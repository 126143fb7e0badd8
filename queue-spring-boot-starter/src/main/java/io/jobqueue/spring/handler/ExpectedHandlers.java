package io.jobqueue.spring.handler;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.jobqueue.worker.Handlers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;

/**
 * Says which handlers the annotation processor saw and no bean has: their class is none,
 * though it is in a package that the application scans. Without the processor nothing is
 * known of them. Classes with a condition are left out on purpose.
 */
public final class ExpectedHandlers implements ApplicationListener<ContextRefreshedEvent> {

	private static final Logger log = LoggerFactory.getLogger(ExpectedHandlers.class);

	private static final int MOST = 20;

	private final ResourceLoader resources;

	private final ConfigurableListableBeanFactory beans;

	private final HandlerLists lists;

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
		this.lists = new HandlerLists(resources, beans);
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
		this.lists.read().forEach((className, all) -> {
			List<String> types = all.stream().filter((type) -> this.handlers.find(type) == null).toList();
			if (!types.isEmpty() && isExpected(className)) {
				types.forEach((type) -> missing.put(type, className));
			}
		});
		return missing;
	}

	/**
	 * Whether a class should be a bean: the application scans its package, it still has
	 * handlers, and no condition leaves it out. A nested class that says nothing is for
	 * somebody's own use, such as a test's; one that a bean's class inherits from may
	 * have other types there.
	 */
	private boolean isExpected(String className) {
		try {
			AnnotationMetadata type = this.lists.classWithHandlers(className);
			return type != null && isForUse(type) && isScanned(className) && !type.isAbstract() && !isConditional(type)
					&& !isInherited(className);
		}
		catch (IOException | ClassNotFoundException | LinkageError ex) {
			log.debug("The class {} of a list of handlers is not there", className, ex);
			return false;
		}
	}

	private boolean isForUse(AnnotationMetadata type) throws IOException {
		String outer = type.getEnclosingClassName();
		return outer == null || type.isAnnotated(Component.class.getName())
				&& !isConditional(this.lists.classes().getMetadataReader(outer).getAnnotationMetadata());
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
