import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

@Suite("Codes") struct SecretCodeTests {
    private static func failure<Kind: CodeKind>(_ text: String, _ kind: Kind.Type) -> CodeFailure? {
        do throws(CodeFailure) {
            _ = try SecretCode<Kind>(reading: SecretBox(text))
            return nil
        } catch {
            return error
        }
    }

    private static func characters(_ code: SecretCode<some CodeKind>) -> [UInt8] {
        code.text.testOnlyBytes.filter { $0 != UInt8(ascii: "-") }
    }

    @Test("have their length, in groups of four, and are read back") func forms() throws {
        for seed in UInt64(0)..<50 {
            let recovery = RecoveryCode(generating: SeededEntropy(seed: seed))
            let invitation = InvitationCode(generating: SeededEntropy(seed: seed))
            #expect(recovery.text.testOnlyText.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4, 4])
            #expect(invitation.text.testOnlyText.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 2])
            for text in [recovery.text, invitation.text] {
                let allowed = CodeAlphabet.characters + [UInt8(ascii: "-")]
                #expect(text.testOnlyBytes.allSatisfy { allowed.contains($0) })
            }
            #expect(try RecoveryCode(reading: recovery.text).text.equals(recovery.text))
            #expect(try InvitationCode(reading: invitation.text).text.equals(invitation.text))
        }
    }

    @Test("every character occurs at every random position") func uniform() {
        var seen = [Set<UInt8>](repeating: [], count: 28)
        for seed in UInt64(0)..<1000 {
            let code = RecoveryCode(generating: SeededEntropy(seed: seed))
            for (index, character) in Self.characters(code).enumerated() {
                seen[index].insert(character)
            }
        }
        #expect(seen.allSatisfy { $0.count == 32 })
    }

    @Test("small letters, missing and other separators, and I, L and O are read as they are meant")
    func reading() throws {
        let text = try Answers.all().invitationCode
        let plain = try InvitationCode(reading: SecretBox(text))
        for other in [
            text.lowercased(), text.replacing("-", with: ""), text.replacing("-", with: " "), " " + text + " ",
            text.replacing("0", with: "O"), text.replacing("0", with: "o"), text.replacing("1", with: "I"),
            text.replacing("1", with: "l"),
        ] {
            #expect(try InvitationCode(reading: SecretBox(other)).text.equals(plain.text), "\(other)")
        }
        let recovery = try RecoveryCode(reading: SecretBox(try Answers.all().recoveryCode))
        let spelled = try Answers.all().recoveryCode.replacing("1", with: "L").replacing("0", with: "O")
        #expect(try RecoveryCode(reading: SecretBox(spelled)).text.equals(recovery.text))
    }

    @Test("other lengths and characters are refused, with the position") func refusals() throws {
        let text = try Answers.all().invitationCode
        #expect(Self.failure("", InvitationCodeKind.self) == .wrongLength(found: 0, expected: 22))
        #expect(Self.failure(text, RecoveryCodeKind.self) == .wrongLength(found: 22, expected: 28))
        #expect(Self.failure(text + "0", InvitationCodeKind.self) == .wrongLength(found: 23, expected: 22))
        #expect(Self.failure("U" + text.dropFirst(), InvitationCodeKind.self) == .badCharacter(position: 1))
        #expect(Self.failure(text.dropLast() + "u", InvitationCodeKind.self) == .badCharacter(position: 22))
        for character in ["*", "_", "\0", "\u{7F}"] {
            #expect(Self.failure(character + text.dropFirst(), InvitationCodeKind.self) == .badCharacter(position: 1))
        }
        #expect(Self.failure("é" + text.dropFirst(2), InvitationCodeKind.self) == .badCharacter(position: 1))
    }

    private static func expectDetected<Kind: CodeKind>(_ code: SecretCode<Kind>) {
        let right = characters(code)
        func isDetected(_ characters: [UInt8]) -> Bool {
            failure(String(decoding: characters, as: UTF8.self), Kind.self) == .wrongCheck
        }
        var undetected = 0
        for index in right.indices {
            for other in CodeAlphabet.characters where other != right[index] {
                var wrong = right
                wrong[index] = other
                if !isDetected(wrong) { undetected += 1 }
            }
            for second in right.indices where second > index && right[second] != right[index] {
                var wrong = right
                wrong.swapAt(index, second)
                if !isDetected(wrong) { undetected += 1 }
            }
        }
        #expect(undetected == 0)
    }

    @Test("every single wrong character and every exchange of two is detected", arguments: UInt64(0)..<5)
    func detection(seed: UInt64) {
        Self.expectDetected(RecoveryCode(generating: SeededEntropy(seed: seed)))
        Self.expectDetected(InvitationCode(generating: SeededEntropy(seed: seed)))
    }

    /// The check is linear, so the code of zeros stands for all, and the longest code for shorter ones.
    @Test("every pair of wrong characters is detected") func pairs() {
        var undetected = 0
        for first in 0..<CodeCheck.longestCode {
            for second in (first + 1)..<CodeCheck.longestCode {
                for wrong in 0..<(31 * 31) {
                    var code = [UInt8](repeating: 0, count: CodeCheck.longestCode)
                    (code[first], code[second]) = (UInt8(1 + wrong / 31), UInt8(1 + wrong % 31))
                    if CodeCheck.accepts(code) { undetected += 1 }
                }
            }
        }
        #expect(undetected == 0)
    }

    @Test("give other keys each") func otherKeys() throws {
        let codes = (UInt64(0)..<3).map { RecoveryCode(generating: SeededEntropy(seed: $0)) }
        #expect(Set(codes.map { RecoveryKeys($0).publicKeys.identifier }).count == 3)
        #expect(RecoveryKeys(codes[0]).publicKeys == RecoveryKeys(codes[0]).publicKeys)
    }
}
