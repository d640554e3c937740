import Foundation

/// A result code with its name and its text for people.
package struct ResultMessage: Sendable {
    package let name: String
    package let code: OSStatus
    /// Nil for an alias of a code, which has the text of the first name.
    package let text: String?

    init(_ name: String, _ code: OSStatus, _ text: String) {
        self.name = name
        self.code = code
        self.text = text
    }

    /// Makes an alias of a code.
    init(_ name: String, sameAs code: OSStatus) {
        self.name = name
        self.code = code
        self.text = nil
    }

    /// Every code that has a name, with each of its names.
    package static let all: [ResultMessage] =
        keychain + privateCodes + policies + modules + attributes + certificates

    /// Returns the text of a code; a code without a name is only repeated.
    static func text(of code: OSStatus) -> String {
        texts[code] ?? "OSStatus \(code)"
    }

    private static let texts = Dictionary(
        all.compactMap { message in message.text.map { (message.code, $0) } }, uniquingKeysWith: { first, _ in first })
}
