package io.jobqueue.spring.autoconfigure;

import io.jobqueue.observe.QueueObserver;
import io.jobqueue.store.QueueListeners;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Has enqueues watched once all beans are there, and not before: what makes something of
 * observations may itself need the queue.
 */
final class ObservedListeners implements SmartInitializingSingleton {

	private final QueueListeners listeners;

	private final ObjectProvider<QueueObserver> observer;

	ObservedListeners(QueueListeners listeners, ObjectProvider<QueueObserver> observer) {
		this.listeners = listeners;
		this.observer = observer;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.observer.ifAvailable(this.listeners::observe);
	}

}
