import LatchkeyKeychainMessages

/// An `LAContext` of an app, looked at in the same way.
struct WatchedSession: AuthenticationSession {
    let watch: AppWatch
    let session: any AuthenticationSession

    func perform(_ request: AuthenticationRequest) -> AuthenticationReply {
        let place = KeychainCall(request).map { _ in CapturedCall.here() }
        let (reply, issues) = watch.perform(request, from: place) { session.perform($0) }
        for issue in issues { TestIssue.record(issue) }
        return reply
    }

    func prepared(_ request: AuthenticationRequest) -> @Sendable () -> AuthenticationReply {
        guard KeychainCall(request) != nil else { return session.prepared(request) }
        // The thread that waits has neither the app's calls on its stack nor the running test in its task.
        let place = CapturedCall.here()
        let recorder = IssueRecorder()
        let perform = session.prepared(request)
        return { [watch] in
            let (reply, issues) = watch.perform(request, from: place) { _ in perform() }
            recorder.record(issues)
            return reply
        }
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        watch.perform(request) { session.perform($0) }
    }

    func perform(_ request: KeyRequest) -> KeyReply {
        watch.perform(request) { session.perform($0) }
    }

    func end() {
        session.end()
    }
}
