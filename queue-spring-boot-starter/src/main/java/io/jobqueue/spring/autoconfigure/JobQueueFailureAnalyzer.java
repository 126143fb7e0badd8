package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.handler.InvalidJobHandlerException;
import io.jobqueue.spring.schema.MissingSchemaException;
import io.jobqueue.spring.schema.NoSkipLockedException;
import io.jobqueue.spring.worker.UnsuitableWorkerException;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Tells what to do when the job queue keeps an application from starting.
 */
class JobQueueFailureAnalyzer implements FailureAnalyzer {

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		Throwable current = failure;
		while (current != null) {
			String action = action(current);
			if (action != null) {
				return new FailureAnalysis(current.getMessage(), action, current);
			}
			current = current.getCause();
		}
		return null;
	}

	private static @Nullable String action(Throwable failure) {
		if (failure instanceof InvalidJobHandlerException handler) {
			return handler.action();
		}
		if (failure instanceof UnsuitableWorkerException worker) {
			return worker.action();
		}
		if (failure instanceof MissingSchemaException schema) {
			return "Let the job queue create them with jobqueue.schema=migrate (the default), or run the files in "
					+ schema.folder() + " of queue-core's jar.";
		}
		if (failure instanceof NoSkipLockedException) {
			return "Use MySQL 8.0.20 or later, MariaDB 10.6 or later, or H2 2, without a proxy that changes SKIP LOCKED.";
		}
		if (failure instanceof AmbiguousDataSourceException) {
			return "Mark one of the DataSource beans with @JobQueueDataSource or @Primary.";
		}
		return null;
	}

}
