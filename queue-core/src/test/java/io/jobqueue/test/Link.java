package io.jobqueue.test;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.jobqueue.test.Wire.Direction;
import org.jspecify.annotations.Nullable;

/**
 * One connection over a {@link Wire}, and its continuation to the server.
 */
final class Link {

	private static final int HEADER = 4;

	private static final int BUFFER = 16 * 1024;

	private final Wire wire;

	private final Socket client;

	private final Socket server;

	/** Whether what the server answers next is the last that it says on this link. */
	private volatile boolean cutAtAnswer;

	/** Whether the server's end lives on without the client's. */
	private volatile boolean clientGone;

	private volatile boolean silent;

	/** Whether a commit is to be delivered late and was not answered yet. */
	private final AtomicBoolean late = new AtomicBoolean();

	Link(Wire wire, Socket client, Socket server) {
		this.wire = wire;
		this.client = client;
		this.server = server;
	}

	void silence() {
		this.silent = true;
	}

	/** Carries packets to the server. */
	void up() {
		Conversation conversation = new Conversation();
		try {
			DataInputStream in = new DataInputStream(this.client.getInputStream());
			OutputStream out = this.server.getOutputStream();
			byte[] header = new byte[HEADER];
			while (true) {
				in.readFully(header);
				byte[] payload = new byte[(header[0] & 0xff) | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16];
				in.readFully(payload);
				this.wire.pass(Direction.UP);
				if (this.silent) {
					continue;
				}
				this.wire.censor(payload);
				boolean commits = conversation.read(header[3], payload);
				CommitFault fault = commits ? this.wire.faultOf(conversation) : null;
				if (fault != null && !survives(fault, header, payload, out)) {
					return;
				}
				if (commits) {
					conversation.ended();
				}
				else {
					conversation.forgetReads();
				}
				send(out, header, payload);
			}
		}
		catch (EOFException ex) {
			close();
		}
		catch (IOException ex) {
			// One side has broken the connection; so does the wire.
			close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			close();
		}
	}

	/**
	 * Does to a commit what is to be done.
	 * @return whether it is to be sent on
	 */
	private boolean survives(CommitFault fault, byte[] header, byte[] payload, OutputStream out)
			throws IOException, InterruptedException {
		switch (fault.kind()) {
			case CUT_BEFORE -> {
				close();
				return false;
			}
			case CUT_AFTER -> {
				this.cutAtAnswer = true;
				return true;
			}
			case LATE -> {
				this.clientGone = true;
				this.late.set(true);
				this.wire.late(1);
				this.client.close();
				Wire.start("late", () -> deliver(fault.late(), header, payload, out));
				return false;
			}
			case HELD -> {
				this.wire.awaitLetPass(fault);
				return true;
			}
		}
		throw new IllegalArgumentException("Unknown: " + fault.kind());
	}

	private void deliver(Duration late, byte[] header, byte[] payload, OutputStream out) {
		try {
			Thread.sleep(late.toMillis());
			this.cutAtAnswer = true;
			send(out, header, payload);
		}
		catch (IOException ex) {
			// The server has given the transaction up meanwhile, which is an answer too.
			close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			close();
		}
	}

	private static void send(OutputStream out, byte[] header, byte[] payload) throws IOException {
		byte[] packet = new byte[header.length + payload.length];
		System.arraycopy(header, 0, packet, 0, header.length);
		System.arraycopy(payload, 0, packet, header.length, payload.length);
		out.write(packet);
		out.flush();
	}

	/** Carries what the server says to the client. */
	void down() {
		byte[] buffer = new byte[BUFFER];
		try {
			InputStream in = this.server.getInputStream();
			@Nullable OutputStream out = this.client.getOutputStream();
			for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
				this.wire.pass(Direction.DOWN);
				if (this.silent) {
					continue;
				}
				if (this.cutAtAnswer) {
					break;
				}
				out.write(buffer, 0, read);
				out.flush();
			}
			close();
		}
		catch (IOException ex) {
			if (!this.clientGone) {
				close();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			close();
		}
	}

	void close() {
		this.wire.forget(this);
		if (this.late.compareAndSet(true, false)) {
			this.wire.late(-1);
		}
		for (Socket socket : new Socket[] { this.client, this.server }) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				throw new IllegalStateException("A socket cannot be closed", ex);
			}
		}
	}

}
