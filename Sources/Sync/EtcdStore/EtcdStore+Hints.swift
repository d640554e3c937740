internal import Glibc
internal import LatchkeyEtcdMessages
package import LatchkeySyncStore
package import LatchkeyThreading
internal import Synchronization

extension EtcdStore {
    package func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint {
        guard state.withLock({ $0.next }) != nil else {
            _ = try isChanged()
            return .changed
        }
        guard !end.isOver else { return try isChanged() ? .changed : .none }
        while true {
            let start = ContinuousClock.now
            if try watch(until: end) { return .changed }
            guard !end.isOver else { return .none }
            // A watch that ended says nothing about what it has not reported.
            if try isChanged() { return .changed }
            guard !end.isOver else { return .none }
            // One that may not be opened, or that ends at once, is not opened again and again.
            if ContinuousClock.now - start < .seconds(options.pauseSeconds) { end.wait(atMost: options.pauseSeconds) }
        }
    }

    /// Compares the store with the last look. Returns true if another device changed something since, at the first look, and if the store
    /// has gone back to an earlier state.
    private func isChanged() throws(StoreFailure) -> Bool {
        let next = state.withLock { $0.next }
        let queries = layout.newsRanges.map { range in
            // Two: one may be the own head.
            EtcdQuery(range, limit: 2, isOfKeysOnly: true, changedSince: next ?? Int64.max)
        }
        guard let answer = try client.readFresh(queries) else { throw .system(EPROTO) }
        state.withLock { $0.next = answer.revision + 1 }
        guard let next, answer.revision >= next - 1 else { return true }
        let own = layout.key(of: .head(writer))
        return answer.readings.contains { $0.entries.contains { $0.key != own } }
    }

    /// Waits for a change as the store reports them. Returns false if the watch ended without one.
    private func watch(until end: Cancellation) throws(StoreFailure) -> Bool {
        guard let next = state.withLock({ $0.next }) else { return true }
        var watch = HintWatch(next: next, own: layout.key(of: .head(writer)))
        var isFailing = false
        try client.watch(layout.newsRanges, from: next, until: end) { event in
            switch event {
            case .line(let line): watch.take(line)
            case .silence:
                // A member that hangs keeps its streams open.
                do throws(StoreFailure) {
                    if try isChanged() { watch.isChanged = true }
                } catch {
                    isFailing = true
                }
            }
            return watch.isOpen && !isFailing
        }
        if watch.isRefused { client.forgetToken() }
        guard watch.isChanged else { return false }
        client.note(watch.next - 1)
        state.withLock { $0.next = max($0.next ?? 0, watch.next) }
        return true
    }
}

/// The news of one watch, as they come.
struct HintWatch {
    /// The first revision that was not reported. Changes of the own head do not move it: an earlier change of another device would be lost
    /// if the watch ended before that one was reported.
    private(set) var next: Int64
    var isChanged = false
    /// The watch was ended by the server, for another reason than age.
    private(set) var isRefused = false
    private var isEnded = false
    private let own: [UInt8]

    init(next: Int64, own: [UInt8]) {
        self.next = next
        self.own = own
    }

    var isOpen: Bool { !isChanged && !isEnded }

    /// Takes a line of the stream.
    mutating func take(_ line: [UInt8]) {
        guard !line.isEmpty else { return }
        do throws(EtcdAnswerFailure) {
            switch try EtcdWatchMessage(line) {
            case .refused: (isEnded, isRefused) = (true, true)
            case .news(let news): take(news)
            }
        } catch {
            isEnded = true
        }
    }

    private mutating func take(_ news: EtcdWatchNews) {
        // The store has gone back, and would be silent until it has come as far again.
        if news.isCreated, news.revision < next - 1 { isEnded = true }
        for entry in news.changed where entry.key != own && entry.revision >= next {
            next = entry.revision + 1
            isChanged = true
        }
        if news.isCancelled {
            isEnded = true
            isRefused = !isChanged
        }
    }
}
