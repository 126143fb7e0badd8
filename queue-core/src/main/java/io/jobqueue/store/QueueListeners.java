package io.jobqueue.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import io.jobqueue.observe.QueueObserver;

/**
 * Who is told what the application did with the queue on this node, and who watches while
 * it enqueues. What they are told of is committed, so one that throws must not make the
 * caller believe that it failed.
 */
public final class QueueListeners {

	private static final Logger log = LoggerFactory.getLogger(QueueListeners.class);

	private final List<QueueListener> listeners = new CopyOnWriteArrayList<>();

	private volatile QueueObserver observer = QueueObserver.NONE;

	/**
	 * Adds somebody who is told. A listener must not block.
	 * @param listener the listener
	 */
	public void add(QueueListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Removes a listener.
	 * @param listener the listener
	 */
	public void remove(QueueListener listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Has enqueues watched.
	 * @param watching by whom
	 */
	public void observe(QueueObserver watching) {
		this.observer = QueueObserver.guarded(watching);
	}

	QueueObserver observer() {
		return this.observer;
	}

	boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	/**
	 * Tells all of them. What one throws goes to the log.
	 * @param event what they are told
	 */
	public void tell(Consumer<QueueListener> event) {
		for (QueueListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				log.error("A listener of the queue failed", ex);
			}
		}
	}

}
