package io.jobqueue.processor;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

import javax.annotation.processing.Filer;
import javax.tools.StandardLocation;

/**
 * Writes which handlers a class has, for start-up: a file for each class, a line for each
 * handler.
 */
final class HandlerList {

	private static final String FOLDER = "META-INF/jobqueue/";

	private static final String ENDING = ".handlers";

	private final Filer filer;

	private final Model model;

	private final Report report;

	HandlerList(Filer filer, Model model, Report report) {
		this.filer = filer;
		this.model = model;
		this.report = report;
	}

	void write(HandlerClass type, List<CheckedHandler> handlers) {
		if (handlers.isEmpty()) {
			return;
		}
		String file = FOLDER + this.model.elements().getBinaryName(type.type()) + ENDING;
		try (Writer writer = this.filer.createResource(StandardLocation.CLASS_OUTPUT, "", file, type.type())
			.openWriter()) {
			for (CheckedHandler handler : handlers) {
				writer.write((handler.ofDeadJobs() ? "dead" : "job") + "\t" + handler.type().replaceAll("\\s", " ")
						+ "\t" + handler.method() + "\n");
			}
		}
		catch (IOException ex) {
			this.report.error("The list of this class's handlers cannot be written to " + file + ": " + ex,
					type.type());
		}
	}

}
