package io.jobqueue.spring.autoconfigure;

import java.util.Optional;

import io.jobqueue.CurrentActor;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Asks Spring Security who is at work.
 */
final class SecurityActor implements CurrentActor {

	@Override
	public Optional<String> name() {
		return Optional.ofNullable(SecurityContextHolder.getContext().getAuthentication())
			.filter(Authentication::isAuthenticated)
			.filter((known) -> !(known instanceof AnonymousAuthenticationToken))
			.map(Authentication::getName);
	}

}
