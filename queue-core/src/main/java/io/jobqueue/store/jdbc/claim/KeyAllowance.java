package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.jobqueue.store.jdbc.limit.Allowance;
import io.jobqueue.store.jdbc.limit.Booking;
import io.jobqueue.store.jdbc.limit.Holders;
import io.jobqueue.store.jdbc.limit.Rule;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a limit for the jobs of one limit key, whose allowance is locked. They
 * come in their turn: as long as some wait, only such as have been given a place already.
 */
final class KeyAllowance {

	private final Rule rule;

	private final Allowance allowance;

	private final Holders.OfKey holders;

	private final int most;

	/** Ready jobs that have been given a place, and of which nothing is decided yet. */
	private final Set<Long> reserved;

	private boolean anyWait;

	private int allowed;

	KeyAllowance(Rule rule, Allowance allowance, Holders.OfKey holders) {
		this.rule = rule;
		this.allowance = allowance;
		this.holders = holders;
		this.most = Math.min(rule.running() - holders.running(), rule.startsLeft(allowance.bookedUntil()));
		this.reserved = new HashSet<>(holders.lately());
		this.anyWait = allowance.anyWait();
	}

	/**
	 * Notes a job that was found. One that has been given a place keeps it from those
	 * that were found before it.
	 */
	void found(long job) {
		if (this.holders.admitted().contains(job)) {
			this.reserved.add(job);
		}
	}

	boolean mayStart(long job) {
		int left = this.most - this.allowed;
		return this.holders.admitted().contains(job) ? left > 0 : !this.anyWait && left > this.reserved.size();
	}

	void allow(long job) {
		this.reserved.remove(job);
		this.allowed++;
	}

	void letWait(long job) {
		this.reserved.remove(job);
		this.anyWait = true;
	}

	/**
	 * What is to be written, once jobs are taken.
	 * @param starts how many
	 */
	Written written(int starts) {
		if (!this.rule.limitsStarts()) {
			return Written.NOTHING;
		}
		long booked = this.rule.booked(this.allowance.bookedUntil(), starts);
		Duration again = (this.anyWait && this.rule.startsLeft(booked) <= 0) ? this.rule.untilSome(booked) : null;
		return (starts > 0 || again != null) ? new Written(this.rule.book(this.allowance, starts, again), again)
				: Written.NOTHING;
	}

	/**
	 * Whether others wait for whom there is a place, once jobs are taken.
	 * @param starts how many
	 */
	boolean isFree(int starts) {
		return this.anyWait && this.most - starts > this.reserved.size();
	}

	/**
	 * What is to be written.
	 *
	 * @param booking the starts, and when to look again; null for nothing
	 * @param lookAgain how long from now that is; null if it does not depend on time
	 */
	record Written(@Nullable Booking booking, @Nullable Duration lookAgain) {

		static final Written NOTHING = new Written(null, null);

	}

}
