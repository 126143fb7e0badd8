package io.jobqueue.maintenance;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.jobqueue.store.jdbc.table.Page;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Sweeps whose rows another program may have written.
 */
class PagedSweepTests {

	private final List<Integer> done = new ArrayList<>();

	private int work(List<Integer> rows) {
		if (rows.contains(7)) {
			throw new IllegalStateException("This row refuses everything");
		}
		this.done.addAll(rows);
		return rows.size();
	}

	@Test
	void aRowThatFailsKeepsNeitherTheOthersNorThePagesBehindIt() {
		PagedSweep<Integer> sweep = new PagedSweep<>((after, limit) -> {
			int from = (after != null) ? after + 1 : 0;
			return new Page<>(IntStream.range(from, Math.min(from + limit, 1_500))
				.mapToObj((row) -> new Page.Seen<>(row, row % 7 == 0))
				.toList(), limit).batch(this::work);
		});
		assertThatThrownBy(() -> PagedSweep.runAll(List.of(sweep))).hasMessage("This row refuses everything");
		assertThat(this.done)
			.isEqualTo(IntStream.range(0, 1_500).filter((row) -> row % 7 == 0 && row != 7).boxed().toList());
	}

	@Test
	void aSweepThatFailsDoesNotKeepTheOthers() {
		PagedSweep<Integer> failing = new PagedSweep<>((after, limit) -> {
			throw new IllegalStateException("No page can be read");
		});
		PagedSweep<Integer> other = new PagedSweep<>(
				(after, limit) -> new Page<>(List.of(new Page.Seen<>(1, true)), limit).batch(this::work));
		assertThatThrownBy(() -> PagedSweep.runAll(List.of(failing, other, failing))).hasMessage("No page can be read");
		assertThat(this.done).containsExactly(1);
	}

}
