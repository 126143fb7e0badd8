package io.jobqueue.spring.actuate;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses actions of the endpoint {@code jobqueue} with a field that it does not know.
 * Spring Boot ignores such fields; with a mistyped filter an action would concern more
 * jobs than somebody has chosen.
 */
public final class KnownFieldsOnly implements OperationInvokerAdvisor {

	private static final EndpointId ENDPOINT = EndpointId.of("jobqueue");

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpointId.equals(ENDPOINT) || operationType != OperationType.WRITE) {
			return invoker;
		}
		Set<String> known = StreamSupport.stream(parameters.spliterator(), false)
			.map(OperationParameter::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		return (context) -> {
			Set<String> others = new TreeSet<>(context.getArguments().keySet());
			others.removeAll(known);
			if (!others.isEmpty()) {
				String reason = "There is no field " + String.join(" and no ", others) + "; there are " + known;
				// Only requests over HTTP have fields of any name.
				return new WebEndpointResponse<>(Map.of("error", reason), WebEndpointResponse.STATUS_BAD_REQUEST);
			}
			return invoker.invoke(context);
		};
	}

}
