package io.jobqueue.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between a test and its database server, and can go silent as a host does that
 * has vanished: nothing arrives any more, and nobody closes a connection.
 */
public final class TcpProxy implements AutoCloseable {

	private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

	private final ServerSocket listener;

	private final String url;

	private final String host;

	private final int port;

	private final List<Link> links = new CopyOnWriteArrayList<>();

	/**
	 * Opens a proxy.
	 * @param jdbcUrl where the server is
	 */
	public TcpProxy(String jdbcUrl) {
		Matcher address = ADDRESS.matcher(jdbcUrl);
		if (!address.find()) {
			throw new IllegalArgumentException("No host and port in " + jdbcUrl);
		}
		this.host = address.group(1);
		this.port = Integer.parseInt(address.group(2));
		try {
			this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.url = address.replaceFirst("//127.0.0.1:" + this.listener.getLocalPort() + "/");
		startThread("accept", this::accept);
	}

	/**
	 * Where the server seems to be.
	 * @return the JDBC URL
	 */
	public String jdbcUrl() {
		return this.url;
	}

	/**
	 * Lets nothing through any more on the connections that are open now. New ones work.
	 * @return how many connections that are
	 */
	public int silence() {
		this.links.forEach((link) -> link.silent = true);
		return this.links.size();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Link link = new Link(this.listener.accept(), new Socket(this.host, this.port));
				this.links.add(link);
				startThread("up", () -> link.copy(link.client, link.server));
				startThread("down", () -> link.copy(link.server, link.client));
			}
			catch (IOException ex) {
				// The proxy is closed, or the server is away: the client sees the latter.
			}
		}
	}

	private static void startThread(String name, Runnable work) {
		Thread thread = new Thread(work, "test-proxy-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		close(this.listener);
		this.links.forEach(Link::close);
	}

	private static void close(AutoCloseable closeable) {
		try {
			closeable.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * One connection and its continuation.
	 */
	private static final class Link {

		private final Socket client;

		private final Socket server;

		private volatile boolean silent;

		Link(Socket client, Socket server) {
			this.client = client;
			this.server = server;
		}

		void copy(Socket from, Socket to) {
			byte[] buffer = new byte[8192];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
					if (!this.silent) {
						out.write(buffer, 0, read);
						out.flush();
					}
				}
			}
			catch (IOException ex) {
				// One side has closed the connection; so does the proxy.
			}
			if (!this.silent) {
				close();
			}
		}

		void close() {
			TcpProxy.close(this.client);
			TcpProxy.close(this.server);
		}

	}

}
