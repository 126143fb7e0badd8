package io.jobqueue.spring.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is written of what operators do.
 *
 * @param keep how long it is kept
 */
public record AuditProperties(@DefaultValue("90d") Duration keep) {

	public AuditProperties {
		PropertyRules.duration("audit.keep", keep);
	}

}
