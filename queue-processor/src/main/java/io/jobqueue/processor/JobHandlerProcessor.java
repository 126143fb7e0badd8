package io.jobqueue.processor;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedOptions;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobHandler;
import io.jobqueue.Recurring;

/**
 * Looks at each class that has handlers, by itself: what it writes for one class depends
 * on nothing but that class and the types in its signatures, as incremental builds
 * demand. Annotations stay free for other processors.
 */
@SupportedOptions({ JobHandlerProcessor.FACTORIES, JobHandlerProcessor.PAYLOADS })
public final class JobHandlerProcessor extends AbstractProcessor {

	/** The option: {@code false} if no factories are to be written. */
	static final String FACTORIES = "jobqueue.factories";

	/** The option: {@code false} if payloads are not read by Jackson. */
	static final String PAYLOADS = "jobqueue.payloads";

	/** Classes whose signatures name types that another processor has yet to write. */
	private final Set<String> incomplete = new LinkedHashSet<>();

	private final Set<String> checked = new LinkedHashSet<>();

	/**
	 * Creates the processor. The compiler does.
	 */
	public JobHandlerProcessor() {
	}

	@Override
	public Set<String> getSupportedAnnotationTypes() {
		return Set.of(JobHandler.class.getName(), DeadJobHandler.class.getName(), Recurring.class.getName());
	}

	@Override
	public SourceVersion getSupportedSourceVersion() {
		return SourceVersion.latestSupported();
	}

	@Override
	public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
		Model model = new Model(this.processingEnv.getElementUtils(), this.processingEnv.getTypeUtils());
		Report report = new Report(this.processingEnv.getMessager());
		if (round.processingOver()) {
			// Not before: Lombok may have added a constructor since.
			if (isOn(PAYLOADS)) {
				PayloadChecks payloads = new PayloadChecks(model, report);
				this.checked.forEach((name) -> HandlerClass.find(name, model)
					.ifPresent((found) -> guarded(found, report, () -> payloads.check(found))));
			}
			return false;
		}
		Set<String> names = new LinkedHashSet<>(this.incomplete);
		this.incomplete.clear();
		for (TypeElement annotation : annotations) {
			for (Element element : round.getElementsAnnotatedWith(annotation)) {
				// An annotation that has one of these itself marks methods that only
				// start-up finds.
				if (element instanceof ExecutableElement method) {
					names.add(Model.classWith(method).getQualifiedName().toString());
				}
			}
		}
		names.forEach((name) -> HandlerClass.find(name, model).ifPresent((found) -> look(name, found, model, report)));
		return false;
	}

	private boolean isOn(String option) {
		return !"false".equals(this.processingEnv.getOptions().get(option));
	}

	private void look(String name, HandlerClass found, Model model, Report report) {
		if (found.isComplete()) {
			this.checked.add(name);
			guarded(found, report, () -> checkAndWrite(found, model, report));
		}
		else {
			this.incomplete.add(name);
		}
	}

	/**
	 * A class that cannot be looked at is still one that compiles.
	 */
	private static void guarded(HandlerClass found, Report report, Runnable look) {
		try {
			look.run();
		}
		catch (RuntimeException | StackOverflowError ex) {
			report.warning("The job queue cannot look at this class, so only start-up checks its handlers: " + ex,
					found.type());
		}
	}

	private void checkAndWrite(HandlerClass found, Model model, Report report) {
		List<CheckedHandler> handlers = new HandlerChecks(model, report).check(found);
		if (isOn(FACTORIES)) {
			new FactoryWriter(this.processingEnv.getFiler(), model, report).write(found, handlers);
		}
		new HandlerList(this.processingEnv.getFiler(), model, report).write(found, handlers);
	}

}
