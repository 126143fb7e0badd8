package io.jobqueue.dashboard.web;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Sends those who are not logged in to the application's login, where Spring Security is:
 * its chain does so, and leads back to the page after it, when a filter below it refuses
 * access.
 */
public final class LoginFilter extends OncePerRequestFilter {

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		chain.doFilter(request, response);
		if (request.getAttribute(Gate.LOG_IN) == null || response.isCommitted()) {
			return;
		}
		// Without an authentication, even an anonymous one, no chain is above this
		// filter.
		if (SecurityContextHolder.getContext().getAuthentication() == null) {
			response.setContentType("text/plain;charset=UTF-8");
			response.getWriter().write(Gate.NO_LOGIN);
			return;
		}
		response.resetBuffer();
		response.setStatus(HttpServletResponse.SC_OK);
		throw new AccessDeniedException("The dashboard is for users who are logged in");
	}

}
