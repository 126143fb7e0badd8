package io.jobqueue.test;

import java.io.IOException;
import java.util.Set;

import io.jobqueue.CurrentActor;
import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobArchiveSink;
import io.jobqueue.JobHandler;
import io.jobqueue.JobInterceptor;
import io.jobqueue.JobListener;
import io.jobqueue.PayloadFormat;
import tools.jackson.databind.JacksonModule;

import org.springframework.boot.jackson.JacksonComponent;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * Leaves out of a {@link JobQueueTest} what has no handler and is nothing that the queue
 * looks for.
 */
class JobQueueTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<JobQueueTest> {

	private static final Set<Class<?>> INCLUDED = Set.of(JobInterceptor.class, JobListener.class, JobArchiveSink.class,
			PayloadFormat.class, CurrentActor.class, JacksonModule.class, JacksonComponent.class,
			JsonMapperBuilderCustomizer.class);

	private final Set<Class<?>> handlers;

	JobQueueTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		this.handlers = Set.of(getAnnotation().getValue("value", Class[].class).orElse(new Class<?>[0]));
	}

	@Override
	protected Set<Class<?>> getKnownIncludes() {
		return INCLUDED;
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.handlers;
	}

	@Override
	protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
		return super.defaultInclude(reader, factory)
				|| this.handlers.isEmpty() && hasHandler(reader.getAnnotationMetadata(), factory);
	}

	/**
	 * Its own methods, or those of a class that it extends.
	 */
	private static boolean hasHandler(AnnotationMetadata type, MetadataReaderFactory factory) throws IOException {
		AnnotationMetadata current = type;
		while (!current.hasAnnotatedMethods(JobHandler.class.getName())
				&& !current.hasAnnotatedMethods(DeadJobHandler.class.getName())) {
			String base = current.getSuperClassName();
			if (base == null || base.startsWith("java.")) {
				return false;
			}
			current = factory.getMetadataReader(base).getAnnotationMetadata();
		}
		return true;
	}

}
