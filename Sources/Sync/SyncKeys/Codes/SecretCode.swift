package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The length of a kind of code.
package protocol CodeKind: Sendable {
    /// The number of characters, the two check characters included.
    static var characterCount: Int { get }
}

/// 130 random bits, from which recovery keys are derived.
package enum RecoveryCodeKind: CodeKind {
    package static let characterCount = 28
}

/// 100 random bits, which an inviting member and a joining device share.
package enum InvitationCodeKind: CodeKind {
    package static let characterCount = 22
}

package typealias RecoveryCode = SecretCode<RecoveryCodeKind>
package typealias InvitationCode = SecretCode<InvitationCodeKind>

/// A reason for which a text is not a code. It contains nothing of the text.
package enum CodeFailure: Error, Hashable, Sendable {
    case wrongLength(found: Int, expected: Int)
    /// The character at a position, counted from 1 without separators, is not one of codes.
    case badCharacter(position: Int)
    /// The check characters do not match: at least one character is wrong.
    case wrongCheck
}

/// A secret that a person reads, keeps or types. It is kept in locked memory; there is no description of it.
package struct SecretCode<Kind: CodeKind>: Sendable {
    /// The characters without separators, in ASCII.
    private let characters: SecretBox

    private static var randomCount: Int { Kind.characterCount - CodeCheck.characterCount }

    /// Makes a new code.
    package init(generating entropy: some Entropy) {
        characters = unsafe SecretBox(count: Kind.characterCount) { output in
            unsafe entropy.fill(output)
            for index in output.indices { unsafe output[index] &= 31 }
            let check = unsafe CodeCheck.characters(after: output.prefix(Self.randomCount))
            unsafe (output[Self.randomCount], output[Self.randomCount + 1]) = check
            for index in output.indices { unsafe output[index] = CodeAlphabet.characters[Int(output[index])] }
        }
    }

    /// Reads a code as a person typed it.
    package init(reading text: SecretBox) throws(CodeFailure) {
        characters = try unsafe text.withBytes { bytes throws(CodeFailure) in
            let count = unsafe bytes.lazy.filter { !CodeAlphabet.isSeparator($0) }.count
            guard count == Kind.characterCount else {
                throw .wrongLength(found: count, expected: Kind.characterCount)
            }
            return try unsafe SecretBox(count: count) { output throws(CodeFailure) in
                var position = 0
                for index in bytes.indices {
                    let character = unsafe bytes[index]
                    guard !CodeAlphabet.isSeparator(character) else { continue }
                    guard let number = CodeAlphabet.number(of: character) else {
                        throw .badCharacter(position: position + 1)
                    }
                    unsafe output[position] = number
                    position += 1
                }
                guard unsafe CodeCheck.accepts(output) else { throw .wrongCheck }
                for index in output.indices { unsafe output[index] = CodeAlphabet.characters[Int(output[index])] }
            }
        }
    }

    /// The code for people: groups of four characters, with hyphens between them.
    package var text: SecretBox {
        let separators = (Kind.characterCount - 1) / CodeAlphabet.groupLength
        return unsafe SecretBox(count: Kind.characterCount + separators) { output in
            unsafe characters.withBytes { characters in
                var position = 0
                for index in characters.indices {
                    if index > 0, index % CodeAlphabet.groupLength == 0 {
                        unsafe output[position] = CodeAlphabet.separator
                        position += 1
                    }
                    unsafe output[position] = characters[index]
                    position += 1
                }
            }
        }
    }

    /// Derives a key from the random characters in ASCII. The check characters follow from these.
    func derived(_ info: SyncInfo, count: Int) -> SecretBox {
        characters.prefix(Self.randomCount).derived(info, count: count)
    }
}
