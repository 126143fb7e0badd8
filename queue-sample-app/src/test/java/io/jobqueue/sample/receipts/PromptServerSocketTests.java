package io.jobqueue.sample.receipts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers of several lines do not wait for confirmations.
 */
class PromptServerSocketTests {

	@Test
	void acceptsConnectionsThatSendAtOnce() throws IOException {
		InetAddress local = InetAddress.getLoopbackAddress();
		try (ServerSocket server = new PromptServerSocket()) {
			server.bind(new InetSocketAddress(local, 0));
			try (Socket client = new Socket(local, server.getLocalPort()); Socket accepted = server.accept()) {
				assertThat(client.isConnected()).isTrue();
				assertThat(accepted.getTcpNoDelay()).isTrue();
			}
		}
	}

}
