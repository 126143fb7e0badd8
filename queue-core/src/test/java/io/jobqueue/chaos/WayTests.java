package io.jobqueue.chaos;

import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the tests have in common that run once for each way in which jobs are kept from
 * running twice.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("io.jobqueue.chaos.Way#toTry")
abstract class WayTests extends ChaosTests {

	@Parameter(0)
	Way way;

	@Override
	Way way() {
		return this.way;
	}

	/**
	 * How long or how often something is done.
	 * @param <T> what it is
	 * @param all if everything is to be broken, in the usual way
	 * @param some in another way
	 * @param little if not everything is to be broken
	 */
	<T> T choose(T all, T some, T little) {
		return FULL ? choose(all, some) : little;
	}

	/**
	 * How long or how often something is done that {@link TakesLong takes long}.
	 * @param <T> what it is
	 * @param all in the usual way
	 * @param some in another way
	 */
	<T> T choose(T all, T some) {
		return (this.way == Way.SKIP_LOCKED) ? all : some;
	}

}
