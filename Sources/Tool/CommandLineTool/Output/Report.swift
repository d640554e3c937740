import Glibc
import LatchkeyItemModel
import LatchkeyPlainText
package import LatchkeySecretMemory

/// The output of a command: lines for people and one JSON document for programs.
package struct Report: Sendable {
    package enum Piece: Sendable {
        /// For people: hidden characters but line breaks and tabs are escaped when it is written.
        case text(String)
        /// A result for programs, byte for byte: data, or a file of some format. It is not secret.
        case bytes([UInt8])
        /// Shown because the user requested it.
        case secret(SecretBox)
    }

    package var pieces: [Piece]
    package var json: JSONValue
    /// The exit code of a program that made a report; for work that was done in part.
    package var status: ExitReason
    /// The words for an output that takes no more, if that loses something: a secret that is shown once.
    var loss: (what: String, advice: String)?
    /// Asks the user about what was shown. Programs are asked nothing.
    var question: (@Sendable () -> Void)?

    package init(_ text: String, json: JSONValue, status: ExitReason = .success) {
        self.init(pieces: text.isEmpty ? [] : [.text(text + "\n")], json: json, status: status)
    }

    package init(pieces: [Piece], json: JSONValue, status: ExitReason = .success) {
        self.pieces = pieces
        self.json = json
        self.status = status
    }

    /// A report about something that was simply done.
    package static func done(_ text: String) -> Report {
        Report(text, json: .object([("done", .boolean(true))]))
    }

    /// True if a terminal shows all of it as it is written, and obeys none of it.
    package var isForTerminals: Bool {
        pieces.allSatisfy { piece in
            switch piece {
            // Hidden characters in it are escaped when it is written.
            case .text: true
            case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe SecretText.isShownInLines($0) }
            case .secret(let secret): SecretText.isForTerminals(secret)
            }
        }
    }

    func write(asJSON: Bool) throws(CommandFailure) {
        if asJSON {
            var writer = JSONWriter(descriptor: STDOUT_FILENO)
            guard writer.write(document: json) else { throw .outputNotWritten(errno, loss) }
            return
        }
        for piece in pieces {
            let written =
                switch piece {
                case .text(let text): Descriptor.write(PlainText.escapedLines(text), to: STDOUT_FILENO)
                case .bytes(let bytes):
                    unsafe bytes.withUnsafeBytes { unsafe Descriptor.write($0, to: STDOUT_FILENO) }
                case .secret(let secret): unsafe secret.withBytes { unsafe Descriptor.write($0, to: STDOUT_FILENO) }
                }
            guard written else { throw .outputNotWritten(errno, loss) }
        }
    }
}

extension CommandFailure {
    /// Standard output takes no more: its reader is gone, or the disk is full.
    /// - Parameter loss: the words for what is lost with it.
    static func outputNotWritten(
        _ number: Int32, _ loss: (what: String, advice: String)? = nil
    ) -> CommandFailure {
        let what = "The output could not be written"
        guard let loss else { return CommandFailure(.failure, what + ".", why: SystemError.text(number)) }
        return CommandFailure(
            .failure, loss.what, why: "\(what): \(SystemError.text(number)).", advice: loss.advice)
    }

    /// The event, its reason and the advice, for people. Each on one line: paths, groups and names are quoted in them.
    package var text: String {
        var text = "latchkey: \(PlainText.escaped(what))"
        if let code {
            text += " (\(code.rawValue)\(ErrorTable.name(of: code).map { " " + $0 } ?? ""))"
        }
        if let why { text += "\n  why: \(PlainText.escaped(why))" }
        if let advice { text += "\n  do:  \(PlainText.escaped(advice))" }
        return text + "\n"
    }

    /// The same for programs.
    package var json: JSONValue {
        var members: [(String, JSONValue)] = [("exitCode", .integer(Int64(status.rawValue))), ("what", .string(what))]
        if let code {
            members.append(("code", .integer(Int64(code.rawValue))))
            members.append(("name", ErrorTable.name(of: code).map(JSONValue.string) ?? .null))
        }
        members.append(("why", why.map(JSONValue.string) ?? .null))
        members.append(("advice", advice.map(JSONValue.string) ?? .null))
        return .object([("error", .object(members))])
    }
}
