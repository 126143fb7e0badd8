package io.jobqueue.spring.autoconfigure;

import io.jobqueue.JobArchiveSink;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * What archive sinks are called in the log: by their beans' names.
 */
final class SinkNames {

	private SinkNames() {
	}

	static String of(JobArchiveSink sink, ListableBeanFactory beans) {
		for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, JobArchiveSink.class, false,
				false)) {
			// To ask for one of another scope would make another one.
			if (beans.isSingleton(name) && beans.getBean(name) == sink) {
				return "'" + name + "' (" + sink + ")";
			}
		}
		return sink.toString();
	}

}
