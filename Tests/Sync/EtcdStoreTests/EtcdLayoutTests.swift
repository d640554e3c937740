import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import Testing

@testable import LatchkeyEtcdMessages
@testable import LatchkeyEtcdStore

/// The keys that are watched.
@Suite struct EtcdLayoutTests {
    private let layout = EtcdLayout(SampleObjects.circle(0xCC))
    private static let device = SampleObjects.device(0xFF)

    private func isNews(_ range: EtcdKeyRange) -> Bool {
        layout.newsRanges.contains { news in
            guard let end = range.end, let newsEnd = news.end else { return false }
            return !range.key.lexicographicallyPrecedes(news.key) && !newsEnd.lexicographicallyPrecedes(end)
        }
    }

    private func isQuiet(_ range: EtcdKeyRange) -> Bool {
        layout.newsRanges.allSatisfy { news in
            guard let end = range.end, let newsEnd = news.end else { return false }
            return !news.key.lexicographicallyPrecedes(end) || !range.key.lexicographicallyPrecedes(newsEnd)
        }
    }

    @Test("heads, statements and exchanges are news", arguments: [ObjectPrefix.heads, .statements, .exchanges])
    func news(prefix: ObjectPrefix) {
        #expect(isNews(layout.range(of: prefix)))
    }

    /// Their values would come with each event.
    @Test(
        "what they refer to is not news",
        arguments: [.evidence, .snapshots(device)] + ZoneClass.allCases.map { ObjectPrefix.segments(.init(device, $0)) }
    )
    func others(prefix: ObjectPrefix) {
        #expect(isQuiet(layout.range(of: prefix)))
    }

    @Test("a watch from any revision is short enough for the gateway")
    func length() {
        let body = EtcdRequest.watch(layout.newsRanges, from: .max)
        #expect(body.count <= EtcdRequest.watchByteLimit && body.count > EtcdRequest.watchByteLimit / 2)
    }
}
