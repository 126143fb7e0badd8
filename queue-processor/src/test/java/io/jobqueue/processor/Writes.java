package io.jobqueue.processor;

import java.io.IOException;
import java.io.Writer;
import java.util.Set;

import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;

/**
 * A processor of somebody else's, which writes a class in the first round.
 */
@SupportedAnnotationTypes("*")
public final class Writes extends AbstractProcessor {

	private boolean written;

	@Override
	public SourceVersion getSupportedSourceVersion() {
		return SourceVersion.latestSupported();
	}

	@Override
	public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
		if (!this.written) {
			this.written = true;
			try (Writer writer = this.processingEnv.getFiler().createSourceFile("written.Payload").openWriter()) {
				writer.write("package written;\npublic record Payload(String text) { }\n");
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return false;
	}

}
