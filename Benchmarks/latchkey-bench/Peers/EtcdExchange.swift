import Foundation

/// The least that an exchange by etcd takes: one connection writes, another one, of another member, is told.
final class EtcdExchange {
    private static let prefix = "bench/exchange/"
    private let writer: EtcdConversation
    private let reader: EtcdConversation
    private var written = 0

    init(_ nodes: EtcdNodes) throws {
        (writer, reader) = (try nodes.conversation(with: 0), try nodes.conversation(with: 1))
        try reader.watch(Self.prefix)
    }

    /// Returns the mean time of as many exchanges of 1 KiB.
    func milliseconds(_ count: Int) throws -> Double {
        let value = EtcdConversation.base64([UInt8](repeating: 7, count: 1_024))
        var sum: UInt64 = 0
        for _ in 0..<count {
            written += 1
            let key = EtcdConversation.base64("\(Self.prefix)\(written)")
            let request = writer.request("/v3/kv/put", Data(#"{"key":"\#(key)","value":"\#(value)"}"#.utf8))
            sum += try nanoseconds {
                try writer.send(request)
                try reader.awaitEvent()
            }
            _ = try writer.takeAnswer()
        }
        return Double(sum) / Double(count) / 1e6
    }
}

/// The writes of one device and nothing else: transactions that compare the head, write a segment, and replace the head.
final class EtcdHeads {
    private static let root = "bench/heads/"
    private static let headByteCount = 600
    private let conversation: EtcdConversation
    private var written = 0

    init(_ nodes: EtcdNodes) throws {
        conversation = try nodes.conversation(with: 0)
        try conversation.put(Self.root + "h", [UInt8](repeating: 7, count: Self.headByteCount))
    }

    func transactionsPerSecond(_ count: Int, segmentByteCount: Int) throws -> Double {
        let segment = EtcdConversation.base64([UInt8](repeating: 7, count: segmentByteCount))
        let value = EtcdConversation.base64([UInt8](repeating: 7, count: Self.headByteCount))
        let head = EtcdConversation.base64(Self.root + "h")
        let requests = (0..<count).map { _ in
            written += 1
            let key = EtcdConversation.base64("\(Self.root)c/\(written)")
            let body =
                #"{"compare":[{"key":"\#(head)","target":"CREATE","result":"GREATER","create_revision":"0"}],"success":["#
                + #"{"request_put":{"key":"\#(key)","value":"\#(segment)"}},"#
                + #"{"request_put":{"key":"\#(head)","value":"\#(value)"}}]}"#
            return conversation.request("/v3/kv/txn", Data(body.utf8))
        }
        let time = try nanoseconds {
            for request in requests { try conversation.answer(to: request) }
        }
        return Double(count) / (Double(time) / 1e9)
    }
}
