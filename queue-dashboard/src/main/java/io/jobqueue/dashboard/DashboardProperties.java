package io.jobqueue.dashboard;

import java.util.List;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The dashboard's settings. It is closed until {@code viewRoles} or {@code open} says who
 * may look.
 *
 * @param enabled whether the dashboard is there at all
 * @param path where it is, in the application
 * @param open whether everybody who reaches the application may look, without any role
 * @param viewRoles the roles of which one is enough to look
 * @param actions whether anybody may act
 * @param actRoles the roles of which one is needed to act, beside leave to look; none are
 * needed if the dashboard is open and there are none
 * @param payloads whether anybody may see payloads
 * @param payloadRoles the roles of which one is needed to see payloads; without any,
 * those to act
 * @param allowedOrigins origins beside the application's own from which browsers that do
 * not say where a request comes from may act, as {@code https://jobs.example.com}; and
 * names under which one that is open answers, beside addresses and names without a dot
 */
@ConfigurationProperties(prefix = "jobqueue.dashboard", ignoreUnknownFields = false)
public record DashboardProperties(@DefaultValue("true") boolean enabled, @DefaultValue("/jobqueue") String path,
		@DefaultValue("false") boolean open, @DefaultValue List<String> viewRoles,
		@DefaultValue("false") boolean actions, @DefaultValue List<String> actRoles,
		@DefaultValue("false") boolean payloads, @DefaultValue List<String> payloadRoles,
		@DefaultValue List<String> allowedOrigins) {

	private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

	/**
	 * Checks the settings.
	 * @throws IllegalArgumentException if the path is none
	 */
	public DashboardProperties {
		if (!PATH.matcher(path).matches()) {
			throw new IllegalArgumentException("jobqueue.dashboard.path must be a path as /jobqueue or /admin/jobs, "
					+ "without a slash at its end, but is '" + path + "'");
		}
		viewRoles = List.copyOf(viewRoles);
		actRoles = List.copyOf(actRoles);
		payloadRoles = List.copyOf(payloadRoles);
		allowedOrigins = List.copyOf(allowedOrigins);
	}

}
