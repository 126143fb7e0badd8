package io.jobqueue.sample.views;

/**
 * An article that a customer has looked at, and the payload of its job.
 *
 * @param article the article's number; negative ones do not exist
 */
record ArticleView(int article) {

}
