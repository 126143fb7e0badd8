package io.jobqueue.test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a client's packets say of its transactions. Used by one thread.
 */
final class Conversation {

	private static final int COM_QUERY = 3;

	private static final int KEPT = 400;

	private static final int MOST = 100;

	private final List<String> statements = new ArrayList<>();

	private boolean autocommit = true;

	/**
	 * The statements of the transaction that is open, the last of them the one that came
	 * last.
	 */
	List<String> statements() {
		return this.statements;
	}

	/**
	 * Reads a packet.
	 * @param sequence its number within the exchange
	 * @param payload what is in it
	 * @return whether it commits something, should the server get it
	 */
	boolean read(int sequence, byte[] payload) {
		if (sequence != 0 || payload.length < 2 || payload[0] != COM_QUERY) {
			return false;
		}
		String statement = text(payload);
		String lower = statement.toLowerCase(Locale.ROOT);
		if (lower.startsWith("set ")) {
			readSetting(lower);
			return false;
		}
		if (lower.startsWith("rollback") && !lower.startsWith("rollback to")) {
			this.statements.clear();
			return false;
		}
		if (this.statements.size() < MOST) {
			this.statements.add(statement);
		}
		return lower.equals("commit") || (this.autocommit && lower.matches("(?s)(insert|update|delete) .*"));
	}

	/** Forgets the statements of a transaction that is over. */
	void ended() {
		this.statements.clear();
	}

	/** Forgets what needed no transaction. */
	void forgetReads() {
		if (this.autocommit) {
			this.statements.clear();
		}
	}

	private void readSetting(String statement) {
		if (statement.contains("autocommit=0")) {
			this.autocommit = false;
			this.statements.clear();
		}
		else if (statement.contains("autocommit=1")) {
			this.autocommit = true;
			this.statements.clear();
		}
	}

	/**
	 * The statement, without the query attributes that newer clients put before it (MySQL
	 * source, protocol documentation, COM_QUERY: two bytes if there are none).
	 */
	private static String text(byte[] payload) {
		int start = 1;
		while (start < payload.length && payload[start] >= 0 && payload[start] < ' ') {
			start++;
		}
		return new String(payload, start, Math.min(KEPT, payload.length - start), StandardCharsets.ISO_8859_1).trim();
	}

}
