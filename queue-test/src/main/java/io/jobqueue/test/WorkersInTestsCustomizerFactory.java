package io.jobqueue.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Adds {@link WorkersInTests} to the contexts of tests without a tester.
 */
class WorkersInTestsCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureJobQueue.class) ? null
				: new Customizer();
	}

	/**
	 * All are equal, so that contexts are shared as before.
	 */
	private record Customizer() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			if (context.getBeanFactory() instanceof BeanDefinitionRegistry registry) {
				new AnnotatedBeanDefinitionReader(registry).register(WorkersInTests.class);
			}
		}

	}

}
