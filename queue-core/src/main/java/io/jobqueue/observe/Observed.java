package io.jobqueue.observe;

/**
 * Something that is being watched. Used by the thread that began it, which ends it once.
 */
public interface Observed {

	/** Watched by nobody. */
	Observed NONE = new Observed() {

		@Override
		public void failed(Throwable cause) {
		}

		@Override
		public void end() {
		}

	};

	/**
	 * It has failed. Its end is still to come.
	 * @param cause why
	 */
	void failed(Throwable cause);

	/**
	 * It has ended.
	 */
	void end();

}
