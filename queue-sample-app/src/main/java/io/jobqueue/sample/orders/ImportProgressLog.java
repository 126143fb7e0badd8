package io.jobqueue.sample.orders;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Logs how far the imports of this process are, until they are done.
 */
@Component
class ImportProgressLog {

	private static final Logger log = LoggerFactory.getLogger(ImportProgressLog.class);

	private final ImportRepository imports;

	private final Set<Long> watched = ConcurrentHashMap.newKeySet();

	ImportProgressLog(ImportRepository imports) {
		this.imports = imports;
	}

	void watch(long importId) {
		this.watched.add(importId);
	}

	@Scheduled(fixedDelay = 3000)
	void log() {
		for (Long id : this.watched) {
			this.imports.progress(id).ifPresent((progress) -> {
				log.info("{}", progress);
				if (progress.remaining() == 0) {
					this.watched.remove(id);
				}
			});
		}
	}

}
