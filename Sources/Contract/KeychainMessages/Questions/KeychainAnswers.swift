package import LatchkeyEnclaveContract
import LatchkeyPropertyListDER

extension Done: KeychainAnswer {
    package static let replyNumber: Int64 = 1

    package func write(to writer: inout FieldWriter) {}

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init()
    }
}

/// A member of a list that is an answer.
package protocol ListedKeychainAnswer: Sendable {
    static var listNumber: Int64 { get }
    static var listName: String { get }
    /// Longer lists are cut by who writes them, and refused by who reads them.
    static var listLimit: Int { get }
    func write(to writer: inout FieldWriter)
    init(from fields: inout MessageFields) throws(MessageCodingFailure)
}

extension Array: KeychainReply where Element: ListedKeychainAnswer {}

extension Array: KeychainAnswer where Element: ListedKeychainAnswer {
    package static var replyNumber: Int64 { Element.listNumber }

    package func write(to writer: inout FieldWriter) {
        writer.elements(prefix(Element.listLimit)) { $1.write(to: &$0) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self = try fields.elements(Element.listName, limit: Element.listLimit) { part throws(MessageCodingFailure) in
            try Element(from: &part)
        }
    }
}
