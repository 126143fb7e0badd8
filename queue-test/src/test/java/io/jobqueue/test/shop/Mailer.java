package io.jobqueue.test.shop;

/** What a handler needs of the outside. */
public interface Mailer {

	void send(String to);

}
