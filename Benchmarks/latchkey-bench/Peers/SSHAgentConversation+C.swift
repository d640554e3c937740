import CLatchkeyShims
import Glibc

/// The messages that a program sends to an ssh-agent, each behind its length.
final class SSHAgentConversation {
    private enum Message {
        static let requestIdentities: UInt8 = 11
        static let identities: UInt8 = 12
        static let signRequest: UInt8 = 13
        static let signResponse: UInt8 = 14
    }

    private let socket: Int32
    private var key: [UInt8] = []

    init(at path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure("\(path) is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw Failure("cannot reach \(path)") }
        // number of keys, then of the first its blob and comment
        let answer = try ask([Message.requestIdentities])
        guard answer.first == Message.identities, answer.count > 9 else { throw Failure("the agent has no key") }
        key = Array(answer[9..<9 + Int(Self.number(answer[5..<9]))])
    }

    deinit {
        close(socket)
    }

    func sign(_ data: [UInt8]) throws {
        let request = [Message.signRequest] + Self.text(key) + Self.text(data) + [0, 0, 0, 0]
        guard try ask(request).first == Message.signResponse else { throw Failure("the agent signed nothing") }
    }

    private func ask(_ message: [UInt8]) throws -> [UInt8] {
        let packet = Self.text(message)
        guard send(socket, packet, packet.count, 0) == packet.count else { throw Failure("the agent went away") }
        let length = Int(Self.number(try receive(4)[...]))
        return try receive(length)
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var have = 0
        while have < count {
            let more = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress?.advanced(by: have), count - have, 0)
            }
            guard more > 0 else { throw Failure("the agent went away") }
            have += more
        }
        return bytes
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
