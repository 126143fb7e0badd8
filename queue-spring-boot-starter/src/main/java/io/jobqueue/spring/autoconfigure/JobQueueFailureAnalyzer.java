package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.CannotStartException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Tells what to do when the job queue keeps an application from starting.
 */
class JobQueueFailureAnalyzer extends AbstractFailureAnalyzer<CannotStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, CannotStartException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
