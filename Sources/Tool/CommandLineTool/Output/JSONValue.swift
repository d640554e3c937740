import LatchkeyPlainText
package import LatchkeySecretMemory

/// A JSON document in the order its members were written, with room for secrets that never become a `String`.
package indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    /// Written as a string; the bytes must be UTF-8 (``SecretText`` says whether they are).
    case secret(SecretBox)
    case array([JSONValue])
    case object([(String, JSONValue)])
}

/// Writes JSON piece by piece; secrets go from locked memory to the descriptor.
package struct JSONWriter {
    private let descriptor: Int32
    private var pending = ""
    private var isWritten = true

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: false if the reader is gone or the disk is full; `errno` says which.
    @discardableResult
    package mutating func write(document value: JSONValue) -> Bool {
        write(value, indentation: 0)
        pending += "\n"
        flush()
        return isWritten
    }

    private mutating func write(_ value: JSONValue, indentation: Int) {
        switch value {
        case .null: pending += "null"
        case .boolean(let flag): pending += flag ? "true" : "false"
        case .integer(let number): pending += String(number)
        case .number(let number): pending += number.isFinite ? String(number) : "null"
        case .string(let text): pending += Self.quoted(text)
        case .secret(let secret): write(secret)
        case .array(let values):
            writeList("[", "]", count: values.count, indentation: indentation) { writer, index in
                writer.write(values[index], indentation: indentation + 1)
            }
        case .object(let members):
            writeList("{", "}", count: members.count, indentation: indentation) { writer, index in
                writer.pending += Self.quoted(members[index].0) + ": "
                writer.write(members[index].1, indentation: indentation + 1)
            }
        }
    }

    private mutating func writeList(
        _ open: String, _ close: String, count: Int, indentation: Int, _ element: (inout JSONWriter, Int) -> Void
    ) {
        guard count > 0 else {
            pending += open + close
            return
        }
        pending += open
        for index in 0..<count {
            pending += (index == 0 ? "\n" : ",\n") + String(repeating: "  ", count: indentation + 1)
            element(&self, index)
        }
        pending += "\n" + String(repeating: "  ", count: indentation) + close
    }

    private mutating func write(_ secret: SecretBox) {
        pending += "\""
        flush()
        let escaped = SecretText.escapedForJSON(secret)
        if isWritten { isWritten = unsafe escaped.withBytes { unsafe Descriptor.write($0, to: descriptor) } }
        pending += "\""
    }

    private mutating func flush() {
        if isWritten { isWritten = Descriptor.write(pending, to: descriptor) }
        pending = ""
    }

    /// Text as a JSON string. Characters that a terminal might obey are escaped, too: documents are also read there.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            default:
                if let escape = PlainText.jsonEscape(scalar) {
                    result += escape
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
