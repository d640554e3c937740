import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The passwords of a file, and the parts of it that no item has after the import.
package struct ImportedFile: Sendable {
    package private(set) var passwords: [ImportedPassword] = []
    /// The parts that are lost with the file, in the order of its lines.
    package private(set) var left: [LeftPart] = []
    /// Sentences about the file that name no loss.
    private var remarks: [String] = []
    /// The first record of each item: the line, and the index among the passwords.
    private var firsts: [[UInt8]: (line: Int, index: Int)] = [:]

    private static let sentenceLimit = 10

    package init() {}

    /// Takes a record. Of two that make one item the first stays, because later ones would overwrite it; the other is left
    /// unless it says the same.
    ///
    /// - Returns: false if the record was left.
    @discardableResult
    mutating func add(_ password: ImportedPassword, line: Int) -> Bool {
        let key = password.itemKey
        guard let first = firsts[key] else {
            firsts[key] = (line, passwords.count)
            passwords.append(password)
            return true
        }
        guard !passwords[first.index].isSame(as: password) else { return true }
        leave(LeftPart(line: line, .sameItem(asLine: first.line)))
        return false
    }

    mutating func leave(_ part: LeftPart) {
        // An entry of a netrc file is complete only at the next one.
        let index = left.lastIndex { $0.line <= part.line }.map { $0 + 1 } ?? 0
        left.insert(part, at: index)
    }

    mutating func remark(_ sentence: String) { remarks.append(sentence) }

    /// Sentences for the user about what was left out.
    package var notes: [String] { Self.limited(left.map(\.sentence)) + Self.limited(remarks) }

    private static func limited(_ sentences: [String]) -> [String] {
        guard sentences.count > sentenceLimit else { return sentences }
        let rest = ItemCount.text(sentences.count - sentenceLimit, "further note")
        return sentences.prefix(sentenceLimit) + ["\(rest) of this kind left out here."]
    }
}

extension ImportedPassword {
    /// The identity of the item, byte for byte: the keychain takes two spellings of one character for two.
    fileprivate var itemKey: [UInt8] {
        DERWriter.encode(
            .array(
                [.string(itemClass), .boolean(isSynchronizable)]
                    + primaryKey.flatMap { [$0.key, $0.value] }))
    }

    /// Returns true if the items are equal, attributes and secret.
    fileprivate func isSame(as other: ImportedPassword) -> Bool {
        func encoded(_ password: ImportedPassword) -> [UInt8] {
            DERWriter.encode(.array(password.attributes.flatMap { [$0.key, $0.value] }))
        }
        return encoded(self) == encoded(other) && secret.equals(other.secret)
    }
}
