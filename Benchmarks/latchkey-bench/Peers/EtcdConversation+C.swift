import Foundation
import Glibc

/// The least client of etcd's gateway: one connection that is kept open, and bodies that were prepared before.
final class EtcdConversation {
    private let socket: Int32
    private let host: String
    private var received: [UInt8] = []

    init(host: String, port: UInt16) throws {
        self.host = "\(host):\(port)"
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        var isOn: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        guard isConnected else {
            close(socket)
            throw Failure("cannot reach etcd at \(self.host)")
        }
    }

    deinit { close(socket) }

    // MARK: Calls

    func put(_ key: String, _ value: [UInt8]) throws {
        let body = #"{"key":"\#(Self.base64(key))","value":"\#(Self.base64(value))"}"#
        _ = try answer(to: request("/v3/kv/put", Data(body.utf8)))
    }

    /// Sends a prepared request, and returns the body of the answer.
    @discardableResult
    func answer(to request: [UInt8]) throws -> Data {
        try send(request)
        return try takeAnswer()
    }

    func takeAnswer() throws -> Data {
        while true {
            if let end = Self.end(ofHeaderIn: received) {
                let header = String(decoding: received[..<end], as: UTF8.self).lowercased()
                guard header.hasPrefix("http/1.1 200") else {
                    throw Failure("etcd: \(String(decoding: received.prefix(1_000), as: UTF8.self))")
                }
                if let body = Self.body(received[end...], header) {
                    // No answer comes that was not asked for.
                    received = []
                    return body
                }
            }
            try receive()
        }
    }

    /// Nil if it is not there as a whole.
    private static func body(_ bytes: ArraySlice<UInt8>, _ header: String) -> Data? {
        if let count = header.firstMatch(of: /content-length: (\d+)/).flatMap({ Int($0.output.1) }) {
            return bytes.count >= count ? Data(bytes) : nil
        }
        // In chunks, the last of which is empty.
        var (body, rest) = (Data(), Data(bytes))
        while let line = rest.range(of: Data("\r\n".utf8)) {
            guard let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16),
                rest.endIndex >= line.upperBound + count + 2
            else { return nil }
            guard count > 0 else { return body }
            body += rest[line.upperBound..<line.upperBound + count]
            rest = rest[(line.upperBound + count + 2)...]
        }
        return nil
    }

    /// Opens a watch of all keys with a prefix.
    func watch(_ prefix: String) throws {
        var end = Array(prefix.utf8)
        end[end.count - 1] += 1
        let body = #"{"create_request":{"key":"\#(Self.base64(prefix))","range_end":"\#(Self.base64(end))"}}"#
        try send(request("/v3/watch", Data(body.utf8)))
        try awaitText("\"created\":true")
    }

    /// Returns when the watch has reported something.
    func awaitEvent() throws { try awaitText("\"events\"") }

    /// Returns the greatest key with a prefix, and its value.
    func greatest(_ prefix: String) throws -> (key: String, value: Data)? {
        var end = Array(prefix.utf8)
        end[end.count - 1] += 1
        let body =
            #"{"key":"\#(Self.base64(prefix))","range_end":"\#(Self.base64(end))","limit":"1","#
            + #""sort_order":"DESCEND","sort_target":"KEY"}"#
        let answer = try JSONSerialization.jsonObject(with: answer(to: request("/v3/kv/range", Data(body.utf8))))
        guard let entry = ((answer as? [String: Any])?["kvs"] as? [[String: Any]])?.first,
            let key = (entry["key"] as? String).flatMap({ Data(base64Encoded: $0) }),
            let value = (entry["value"] as? String).flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        return (String(decoding: key, as: UTF8.self), value)
    }

    // MARK: Bytes

    func request(_ path: String, _ body: Data) -> [UInt8] {
        Array("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    static func base64(_ text: String) -> String { base64(Array(text.utf8)) }

    private static func end(ofHeaderIn bytes: [UInt8]) -> Int? {
        Data(bytes).range(of: Data("\r\n\r\n".utf8))?.upperBound
    }

    private func awaitText(_ text: String) throws {
        while Data(received).range(of: Data(text.utf8)) == nil { try receive() }
        received = []
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure("etcd at \(host) has closed the connection") }
            sent += count
        }
    }

    private func receive() throws {
        var part = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &part, part.count, 0)
        guard count > 0 else { throw Failure("etcd at \(host) has closed the connection") }
        received += part[..<count]
    }
}
