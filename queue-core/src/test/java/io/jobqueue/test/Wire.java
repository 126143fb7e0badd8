package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The wire between one process and its server: a TCP proxy that can be cut, slowed down
 * and held, one way or both, and that knows a commit when it sees one. What is held is
 * not lost: like the packets of a partition that heals, it arrives later.
 */
public final class Wire implements AutoCloseable {

	private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

	private static final int BACKLOG = 200;

	private final ServerSocket listener;

	private final String url;

	private final String host;

	private volatile int port;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final Object gate = new Object();

	/** Guarded by the gate. */
	private final Set<Direction> held = EnumSet.noneOf(Direction.class);

	private volatile Duration delay = Duration.ZERO;

	private volatile @Nullable CommitFault fault;

	/** What is taken out of statements; empty if nothing. */
	private volatile byte[] unheard = {};

	private final AtomicInteger hit = new AtomicInteger();

	private final AtomicInteger late = new AtomicInteger();

	/**
	 * Opens a wire.
	 * @param jdbcUrl where the server is
	 */
	public Wire(String jdbcUrl) {
		Matcher address = ADDRESS.matcher(jdbcUrl);
		if (!address.find()) {
			throw new IllegalArgumentException("No host and port in " + jdbcUrl);
		}
		this.host = address.group(1);
		this.port = Integer.parseInt(address.group(2));
		try {
			this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.url = address.replaceFirst("//127.0.0.1:" + this.listener.getLocalPort() + "/");
		start("accept", this::accept);
	}

	/** Where the server seems to be. */
	public String jdbcUrl() {
		return this.url;
	}

	/** Leads new connections to another server of the same host. */
	public void leadTo(int port) {
		this.port = port;
	}

	/**
	 * Lets nothing through any more on the connections that are open now, and tells
	 * nobody. New ones work.
	 * @return how many connections that are
	 */
	public int silence() {
		this.links.forEach(Link::silence);
		return this.links.size();
	}

	/**
	 * Makes the server deaf to some words, as one is that accepts and ignores them.
	 * @param words the words, in ASCII
	 */
	public void omit(String words) {
		this.unheard = words.getBytes(StandardCharsets.US_ASCII);
	}

	/** Puts spaces for what the server shall not hear. */
	void censor(byte[] packet) {
		byte[] words = this.unheard;
		for (int start = 0; words.length > 0 && start <= packet.length - words.length; start++) {
			if (Arrays.equals(packet, start, start + words.length, words, 0, words.length)) {
				Arrays.fill(packet, start, start + words.length, (byte) ' ');
			}
		}
	}

	/** Breaks every connection that is open now. New ones work. */
	public void cut() {
		this.links.forEach(Link::close);
	}

	/** Lets nothing through in some directions, until it is released. */
	public void hold(Direction... directions) {
		synchronized (this.gate) {
			this.held.addAll(Set.of(directions));
		}
	}

	/** Lets everything through that was held. */
	public void release() {
		synchronized (this.gate) {
			this.held.clear();
			this.gate.notifyAll();
		}
	}

	/** Lets everything arrive later. */
	public void delay(Duration delay) {
		this.delay = delay;
	}

	/** Does something to the next commits that match. */
	public void disturb(CommitFault fault) {
		this.hit.set(0);
		this.fault = fault;
	}

	/** Lets pass what {@link CommitFault.Kind#HELD} holds. */
	public void letCommitsPass() {
		synchronized (this.gate) {
			this.fault = null;
			this.gate.notifyAll();
		}
	}

	void awaitLetPass(CommitFault held) throws InterruptedException {
		synchronized (this.gate) {
			while (this.fault == held) {
				this.gate.wait();
			}
		}
	}

	/**
	 * How many commits of kind {@link CommitFault.Kind#LATE} have not been answered yet.
	 * @return the count
	 */
	public int late() {
		return this.late.get();
	}

	void late(int change) {
		this.late.addAndGet(change);
	}

	/** How many commits were disturbed since {@link #disturb}. */
	public int disturbed() {
		return this.hit.get();
	}

	/**
	 * What to do to a commit that has just come from the client.
	 * @return the fault, or null to let it pass
	 */
	@Nullable CommitFault faultOf(Conversation conversation) {
		CommitFault current = this.fault;
		if (current == null || !current.moment().is(conversation.statements())) {
			return null;
		}
		synchronized (this.hit) {
			if (this.hit.get() >= current.commits()) {
				return null;
			}
			this.hit.incrementAndGet();
			return current;
		}
	}

	/**
	 * Waits as long as a direction is held or slow.
	 */
	void pass(Direction direction) throws InterruptedException {
		Duration wait = this.delay;
		if (!wait.isZero()) {
			Thread.sleep(wait.toMillis());
		}
		synchronized (this.gate) {
			while (this.held.contains(direction)) {
				this.gate.wait();
			}
		}
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				try {
					Link link = new Link(this, client, new Socket(this.host, this.port));
					this.links.add(link);
					start("up", link::up);
					start("down", link::down);
				}
				catch (IOException ex) {
					// The server is away, and so it is for the client.
					client.close();
				}
			}
			catch (IOException ex) {
				// The wire is closed.
			}
		}
	}

	void forget(Link link) {
		this.links.remove(link);
	}

	static Thread start(String name, Runnable work) {
		Thread thread = new Thread(work, "wire-" + name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		letCommitsPass();
		release();
		cut();
	}

	/**
	 * Which way something goes.
	 */
	public enum Direction {

		/** From the client to the server. */
		UP,

		/** From the server to the client. */
		DOWN

	}

}
