package io.jobqueue.sample.receipts;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Sends each line of an answer at once. GreenMail writes the lines of its answer to EHLO
 * one by one; the operating system would keep back the second until the first is
 * confirmed, for which the other side takes 40 ms.
 */
final class PromptServerSocket extends ServerSocket {

	/**
	 * Creates a socket that is not bound yet.
	 * @throws IOException if there are no more sockets
	 */
	PromptServerSocket() throws IOException {
	}

	@Override
	public Socket accept() throws IOException {
		Socket socket = super.accept();
		socket.setTcpNoDelay(true);
		return socket;
	}

}
