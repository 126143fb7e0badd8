package io.jobqueue.benchmark.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;

/**
 * A RabbitMQ of one node on this machine, as careful as it can be told to be: a durable
 * queue, persistent messages, publishers that wait for confirms, an ack for each job.
 */
final class RabbitMq implements QueueSystem {

	private static final String HOST = "127.0.0.1";

	private static final int PORT = 5672;

	private static final String QUEUE = "jobqueue-benchmark";

	private static final byte[] BODY = PAYLOAD.getBytes(StandardCharsets.UTF_8);

	private static final int BATCH = 500;

	private static final int CONSUMERS = 2;

	private static final int PREFETCH = 200;

	private static final int ROUND_TRIPS = 2;

	/** A broker that is short of disk or memory does not confirm until it has some. */
	private static final long CONFIRM_MILLIS = 60_000;

	private final String queueType;

	private final Connection connection;

	/** Channels are not for use by several threads at once. */
	private final ThreadLocal<Channel> channels = ThreadLocal.withInitial(this::openChannel);

	private final List<Channel> consumers = new ArrayList<>();

	RabbitMq(String queueType) {
		this.queueType = queueType;
		ConnectionFactory factory = new ConnectionFactory();
		factory.setHost(HOST);
		factory.setPort(PORT);
		// On a new connection the jobs of a lost one would come again, and be counted
		// twice.
		factory.setAutomaticRecoveryEnabled(false);
		try {
			this.connection = factory.newConnection();
		}
		catch (IOException | TimeoutException ex) {
			String message = "no RabbitMQ answers on " + HOST + ":" + PORT + " (" + ex + ")";
			throw new UnsupportedOperationException(message, ex);
		}
	}

	private Channel openChannel() {
		try {
			Channel channel = this.connection.createChannel();
			channel.confirmSelect();
			return channel;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void createTables() {
		Channel channel = this.channels.get();
		try {
			channel.queueDelete(QUEUE);
			channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", this.queueType));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void enqueueAll(int jobs) {
		for (int start = 0; start < jobs; start += BATCH) {
			publish(Math.min(jobs - start, BATCH));
		}
	}

	@Override
	public long enqueueOne() {
		publish(1);
		return 0;
	}

	private void publish(int jobs) {
		Channel channel = this.channels.get();
		try {
			for (int i = 0; i < jobs; i++) {
				channel.basicPublish("", QUEUE, MessageProperties.MINIMAL_PERSISTENT_BASIC, BODY);
			}
			channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (IOException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void start(Work work) {
		if (work.transactional()) {
			throw new UnsupportedOperationException("it cannot complete a job in the handler's transaction");
		}
		try {
			for (int i = 0; i < CONSUMERS; i++) {
				Channel consumer = this.connection.createChannel();
				consumer.basicQos(PREFETCH);
				this.consumers.add(consumer);
				consumer.basicConsume(QUEUE, false, (tag, job) -> {
					consumer.basicAck(job.getEnvelope().getDeliveryTag(), false);
					work.runs().increment();
				}, (tag) -> {
				});
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public boolean hasUnfinished() {
		try {
			return this.channels.get().messageCount(QUEUE) > 0 || isAnyGivenBack();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Waits until the queue has seen every ack that was sent, if no job is running.
	 * <p>
	 * A broker does not answer acks, and its count of messages leaves out those that are
	 * not acked. But a get on a consumer's channel goes to the queue behind the acks of
	 * that channel. Twice, since the channel of a quorum queue holds acks back while many
	 * are on their way to the log, and sends them when those have been answered.
	 * @return whether there was a job after all
	 * @throws IOException if the broker refuses
	 */
	private boolean isAnyGivenBack() throws IOException {
		for (int i = 0; i < ROUND_TRIPS; i++) {
			for (Channel consumer : this.consumers) {
				GetResponse job = consumer.basicGet(QUEUE, false);
				if (job != null) {
					consumer.basicNack(job.getEnvelope().getDeliveryTag(), false, true);
					return true;
				}
			}
		}
		return false;
	}

	@Override
	public void close() {
		// What it left would stay in the broker's memory while the next system is
		// measured.
		try {
			this.channels.get().queueDelete(QUEUE);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			this.connection.abort();
		}
	}

}
