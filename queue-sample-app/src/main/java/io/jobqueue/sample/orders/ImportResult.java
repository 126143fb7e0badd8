package io.jobqueue.sample.orders;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of a file's lines. Used by the thread that imports it.
 */
final class ImportResult {

	private static final int MAX_REPORTED = 100;

	private final long id;

	private final List<RejectedLine> reported = new ArrayList<>();

	private int accepted;

	private int known;

	private int rejected;

	ImportResult(long id) {
		this.id = id;
	}

	void placed(int accepted, int known) {
		this.accepted += accepted;
		this.known += known;
	}

	void reject(long line, String reason) {
		this.rejected++;
		if (this.reported.size() < MAX_REPORTED) {
			this.reported.add(new RejectedLine(line, reason));
		}
	}

	long id() {
		return this.id;
	}

	int accepted() {
		return this.accepted;
	}

	int known() {
		return this.known;
	}

	int rejected() {
		return this.rejected;
	}

	/**
	 * The first hundred rejected lines.
	 */
	List<RejectedLine> reported() {
		return this.reported;
	}

	/**
	 * A line that is no order.
	 *
	 * @param line its number in the file, from 1
	 * @param reason why it is none
	 */
	record RejectedLine(long line, String reason) {

	}

}
