package io.jobqueue.benchmark;

import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Systems;

/**
 * One run of one system, and what the server did for it.
 */
public final class Trial {

	private final Server server;

	private final String name;

	private final QueueSystem system;

	private final int jobs;

	private Cost before;

	Trial(Server server, String name, QueueSystem system, int jobs) {
		this.server = server;
		this.name = name;
		this.system = system;
		this.jobs = jobs;
		this.before = server.cost();
	}

	/**
	 * Where the system runs.
	 * @return the server
	 */
	public Server server() {
		return this.server;
	}

	/**
	 * What the system is called.
	 * @return the name by which {@link Systems} knows it
	 */
	public String name() {
		return this.name;
	}

	/**
	 * What is measured.
	 * @return the system
	 */
	public QueueSystem system() {
		return this.system;
	}

	/**
	 * How many jobs it is measured with.
	 * @return the number
	 */
	public int jobs() {
		return this.jobs;
	}

	/**
	 * The same system on another node: what has connections of its own and shares nothing
	 * with the first but the server.
	 * @return the other one, to be closed by the caller
	 */
	public QueueSystem anotherNode() {
		return Systems.named(this.name, this.server);
	}

	/**
	 * Leaves out of the server's figures what was done until now. What comes before the
	 * run is left out without it.
	 */
	public void costsFromNow() {
		this.before = this.server.cost();
	}

	Cost cost() {
		return this.server.cost().since(this.before);
	}

}
