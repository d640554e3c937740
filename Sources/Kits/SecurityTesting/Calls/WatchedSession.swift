import LatchkeyKeychainMessages

/// An `LAContext` of an app, looked at in the same way.
struct WatchedSession: AuthenticationSession {
    let watch: AppWatch
    let session: any AuthenticationSession

    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        guard let evaluation = question as? any EvaluationQuestion else { return try session.ask(question) }
        let (result, issues) = watch.evaluate(evaluation, from: .here()) { () throws(AuthenticationRefusal) in
            try session.ask(question)
        }
        for issue in issues { TestIssue.record(issue) }
        return try result.get()
    }

    func prepared<Question: EvaluationQuestion>(
        _ question: Question
    ) -> @Sendable () throws(AuthenticationRefusal) -> Question.Answer {
        // The thread that waits has neither the app's calls on its stack nor the running test in its task.
        let place = CapturedCall.here()
        let recorder = IssueRecorder()
        let ask = session.prepared(question)
        return { [watch] () throws(AuthenticationRefusal) in
            let (result, issues) = watch.evaluate(question, from: place, ask)
            recorder.record(issues)
            return try result.get()
        }
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        watch.perform(request) { session.perform($0) }
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        try watch.answer(to: question) { () throws(EnclaveKeyRefusal) in try session.ask(question) }
    }

    func end() {
        session.end()
    }
}
