package io.jobqueue.dashboard.web;

import java.net.URI;
import java.util.List;
import java.util.Locale;

import io.jobqueue.dashboard.DashboardProperties;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what. Roles are asked of the request itself, so that whatever the
 * application logs its users in with decides.
 */
public final class Access {

	/** Nobody can register such names. */
	private static final List<String> OF_NETWORK = List.of(".localhost", ".internal");

	private final DashboardProperties properties;

	/**
	 * Reads the rules.
	 * @param properties the dashboard's settings
	 */
	public Access(DashboardProperties properties) {
		this.properties = properties;
	}

	/**
	 * Whether a request may look.
	 */
	Answer look(HttpServletRequest request) {
		if (this.properties.open() || hasOne(request, this.properties.viewRoles())) {
			return Answer.YES;
		}
		return (request.getUserPrincipal() == null && !this.properties.viewRoles().isEmpty()) ? Answer.LOG_IN
				: Answer.NO;
	}

	/**
	 * Whether a request is sent to a name that no stranger can have chosen. Asked where
	 * nobody has to log in: a site of the internet may give its own name the address of
	 * this machine, and its script is of the same origin then.
	 */
	boolean isKnownHost(HttpServletRequest request) {
		if (!this.properties.open()) {
			return true;
		}
		String sent = request.getHeader("Host");
		// Whoever sends the request may also say that a proxy has forwarded it.
		return isKnown(request.getServerName()) && (sent == null || isKnown(withoutPort(sent)));
	}

	private static String withoutPort(String host) {
		return host.startsWith("[") ? host : host.replaceFirst(":\\d*$", "");
	}

	private boolean isKnown(String name) {
		String host = name.toLowerCase(Locale.ROOT);
		boolean isAddress = host.contains(":") || host.matches("[0-9.]+");
		boolean isOfNetwork = !host.contains(".") || OF_NETWORK.stream().anyMatch(host::endsWith);
		return isAddress || isOfNetwork
				|| this.properties.allowedOrigins().stream().anyMatch((origin) -> host.equals(hostOf(origin)));
	}

	private static @Nullable String hostOf(String origin) {
		try {
			String address = origin.strip().toLowerCase(Locale.ROOT);
			return URI.create(address.contains("://") ? address : "https://" + address).getHost();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Whether a request that may look may act.
	 * @param request the request
	 * @return true if so
	 */
	public boolean mayAct(HttpServletRequest request) {
		return this.properties.actions() && hasOneOrIsOpen(request, this.properties.actRoles());
	}

	/**
	 * Whether a request that may look may see payloads.
	 * @param request the request
	 * @return true if so
	 */
	public boolean maySeePayloads(HttpServletRequest request) {
		List<String> roles = this.properties.payloadRoles().isEmpty() ? this.properties.actRoles()
				: this.properties.payloadRoles();
		return this.properties.payloads() && hasOneOrIsOpen(request, roles);
	}

	private boolean hasOneOrIsOpen(HttpServletRequest request, List<String> roles) {
		return (roles.isEmpty() && this.properties.open()) || hasOne(request, roles);
	}

	private static boolean hasOne(HttpServletRequest request, List<String> roles) {
		return roles.stream().anyMatch(request::isUserInRole);
	}

	/**
	 * Says in words who may do what.
	 * @return a sentence for the log
	 */
	public String described() {
		DashboardProperties settings = this.properties;
		if (!settings.open() && settings.viewRoles().isEmpty()) {
			return "is closed: nobody may look. Set jobqueue.dashboard.view-roles to the roles that may, or "
					+ "jobqueue.dashboard.open=true if everybody who reaches the application may";
		}
		String look = settings.open() ? "is open to everybody who reaches the application"
				: "is open to users with one of the roles " + settings.viewRoles();
		return look + "; " + described("act", settings.actions(), settings.actRoles()) + "; "
				+ described("see payloads", settings.payloads(),
						settings.payloadRoles().isEmpty() ? settings.actRoles() : settings.payloadRoles());
	}

	private String described(String what, boolean allowed, List<String> roles) {
		if (!allowed) {
			return "nobody may " + what;
		}
		if (roles.isEmpty() && !this.properties.open()) {
			return "nobody may " + what + ", since jobqueue.dashboard.act-roles names no role";
		}
		return roles.isEmpty() ? "all of them may " + what : "those with one of " + roles + " may " + what;
	}

	/**
	 * Whether nobody was named who may look.
	 * @return true if so
	 */
	public boolean isClosed() {
		return !this.properties.open() && this.properties.viewRoles().isEmpty();
	}

	/**
	 * Whether the application's users are not asked for a role.
	 * @return true if so
	 */
	public boolean isOpen() {
		return this.properties.open();
	}

	/**
	 * Whether somebody may look.
	 */
	enum Answer {

		/** They may. */
		YES,

		/** They are not known yet. */
		LOG_IN,

		/** They may not. */
		NO

	}

}
