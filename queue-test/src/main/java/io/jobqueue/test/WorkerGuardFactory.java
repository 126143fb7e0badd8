package io.jobqueue.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Adds a {@link WorkerGuard} to the contexts of tests without a tester.
 */
class WorkerGuardFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureJobQueue.class) ? null
				: new Customizer();
	}

	/**
	 * All are equal, so that contexts are shared as before. Adds no bean: in a test that
	 * was processed ahead of time it would be there twice.
	 */
	private record Customizer() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			context.getBeanFactory()
				.addBeanPostProcessor(new WorkerGuard(context.getBeanFactory(), context.getEnvironment()));
		}

	}

}
