package io.jobqueue;

/**
 * Why an attempt failed, as it is stored with the job.
 *
 * @param type the class name of the exception, or a word of the queue's own, as in
 * {@link JobError#type()}
 * @param message what the exception said, shortened to 2,000 characters; may be empty
 * @param stackTrace the stack trace, shortened; may be empty
 */
public record AttemptFailure(String type, String message, String stackTrace) {

}
