import LatchkeyThreading

/// Records issues of a call that is answered on another thread: in a task that begins where the call was made, because a
/// task inherits the test that runs.
final class IssueRecorder: Sendable {
    private struct Batch: Sendable {
        let issues: [UnansweredPrompt]
        let isRecorded: Cancellation
    }

    private let batches: AsyncStream<Batch>.Continuation

    init() {
        let (stream, batches) = AsyncStream<Batch>.makeStream()
        self.batches = batches
        // Not on the threads of other tasks: tests may block all of them while they wait for the answer.
        Task(executorPreference: ThreadExecutor()) {
            for await batch in stream {
                for issue in batch.issues { TestIssue.record(issue) }
                batch.isRecorded.cancel()
            }
        }
    }

    deinit {
        batches.finish()
    }

    /// Returns when they are recorded.
    func record(_ issues: [UnansweredPrompt]) {
        guard !issues.isEmpty else { return }
        let isRecorded = Cancellation()
        batches.yield(Batch(issues: issues, isRecorded: isRecorded))
        isRecorded.wait()
    }
}

/// Runs each step of a task on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let run: @Sendable () -> Void = { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        if !DetachedThread.start(run) { run() }
    }
}
