/// A message on the stream of a watch.
package enum EtcdWatchMessage: Hashable, Sendable {
    /// Something happened, or the watch shows that it is alive.
    case news(EtcdWatchNews)
    /// The server ended the stream.
    case refused(EtcdRefusal)

    /// - Parameter line: one line of the stream.
    package init(_ line: [UInt8]) throws(EtcdAnswerFailure) {
        let root = try EtcdFields.root(of: line)
        guard let result = try root.member("result") else {
            self = .refused(try EtcdRefusal(root))
            return
        }
        var changed: [EtcdEntry] = []
        for event in try EtcdFields.array("events", of: result) {
            // Deletions carry no meaning: one can be lost.
            guard try EtcdFields.text("type", of: event) != "DELETE", let entry = try event.member("kv") else {
                continue
            }
            changed.append(try EtcdEntry(entry))
        }
        self = .news(
            EtcdWatchNews(
                revision: try EtcdFields.revision(of: result),
                isCreated: try EtcdFields.boolean("created", of: result),
                isCancelled: try EtcdFields.boolean("canceled", of: result),
                reason: try EtcdFields.text("cancel_reason", of: result), changed: changed))
    }
}

/// A report of a watch.
package struct EtcdWatchNews: Hashable, Sendable {
    /// The revision of the store when it was sent.
    package let revision: Int64
    package let isCreated: Bool
    /// True at the end of the watch, for instance because the revision that it begins with was compacted.
    package let isCancelled: Bool
    package let reason: String
    /// The entries that were written, in order.
    package let changed: [EtcdEntry]
}
