package io.jobqueue.sample.orders;

/**
 * How far the jobs of an import are.
 *
 * @param id the import's id
 * @param total how many orders it placed
 * @param receiptsSent of how many the receipt was sent
 * @param posted how many are in the ledger
 * @param charged of how many the card was charged
 * @param reviewsAsked how many customers were asked for a review, which happens later
 * @param dead how many receipts, postings and charges were given up
 * @param remaining how many receipts, postings and charges are still to be done
 * @param percent the share of them that has ended
 */
record ImportProgress(long id, long total, long receiptsSent, long posted, long charged, long reviewsAsked, long dead,
		long remaining, int percent) {

	private static final int JOBS = 3;

	static ImportProgress of(long id, long total, long receiptsSent, long posted, long charged, long reviewsAsked,
			long dead, long ended) {
		int percent = (total > 0) ? (int) (ended * 100 / (total * JOBS)) : 100;
		return new ImportProgress(id, total, receiptsSent, posted, charged, reviewsAsked, dead, total * JOBS - ended,
				percent);
	}

	@Override
	public String toString() {
		return "Import " + this.id + ": " + this.percent + " % of " + this.total + " orders; " + this.receiptsSent
				+ " receipts sent, " + this.posted + " posted, " + this.charged + " charged, " + this.dead + " dead";
	}

}
