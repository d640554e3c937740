import Foundation
import LatchkeyEnclaveContract
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

/// The mailbox of an enclave that runs since before an upgrade: the enclave of today behind a socket that knows the messages
/// of `Fixtures/Mailbox/2.txt` alone. It answers any other request as every enclave answers an unknown number.
final class FormerMailbox: Sendable {
    private struct Messages {
        var questions: Set<[UInt8]> = []
        var answers: Set<[UInt8]> = []
    }

    /// The numbers of the questions that it did not know.
    let unknownQuestions: Noted
    /// The numbers of answers that the former enclave did not write.
    let foreignAnswers: Noted
    private let server: Server

    /// - Parameters:
    ///   - path: the socket at which the daemon looks for the enclave.
    ///   - enclave: the socket of the enclave behind it.
    init(at path: String, before enclave: String) throws {
        let known = try Self.messages()
        let (unknown, foreign) = (Noted(), Noted())
        let pool = ConnectionPool { () throws(TransportFailure) in try ClientConnection(connectingTo: enclave) }
        server = Server(listener: try Listener(path: path), admission: { _ in .allowed }, log: { _ in }) {
            connection throws(TransportFailure) in
            while let message = try connection.receive() {
                let number = Self.number(message.body, families: 16...18)
                guard known.questions.contains(number) else {
                    unknown.add(number)
                    let (body, secrets) = EnclaveMessageCodec.encode(
                        EnclaveRefusal.malformed(reason: "unknownKind(\(number.first ?? 0))"))
                    try connection.send(WireMessage(body: body, secrets: secrets))
                    continue
                }
                let answer = try pool.call(message, mayRepeat: false)
                let form = Self.number(answer.body, families: 9...11)
                if !known.answers.contains(form) { foreign.add(form) }
                try connection.send(answer)
            }
        }
        (unknownQuestions, foreignAnswers) = (unknown, foreign)
        try server.start()
    }

    func stop() { server.stop() }

    /// The number of a message: its kind, and in a family its part.
    private static func number(_ body: [UInt8], families: ClosedRange<UInt8>) -> [UInt8] {
        let kind = body.dropFirst().first ?? 0
        return Array(body.dropFirst().prefix(families.contains(kind) ? 2 : 1))
    }

    private static func messages() throws -> Messages {
        let text = try String(contentsOf: PackageFolder.file("Fixtures/Mailbox/2.txt"), encoding: .utf8)
        var messages = Messages()
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            try #require(words.count == 3)
            let body = try #require(Hex(words[1])).bytes
            if words[0] == "q" {
                messages.questions.insert(number(body, families: 16...18))
            } else {
                messages.answers.insert(number(body, families: 9...11))
            }
        }
        try #require(messages.questions.count > 40 && messages.answers.count > 30)
        return messages
    }
}

/// Numbers of messages that threads write down.
final class Noted: Sendable {
    private let numbers = Mutex<Set<[UInt8]>>([])

    var all: Set<[UInt8]> { numbers.withLock { $0 } }

    func add(_ number: [UInt8]) { numbers.withLock { _ = $0.insert(number) } }
}
