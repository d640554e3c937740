import Foundation
import LatchkeyCommandLineTool
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Security
import Testing

@Suite("Exit codes")
struct ExitCodeTests {
    /// The table of `Docs/CLI-ABI.md`: number and name.
    private static func documented() throws -> [Int32: String] {
        let text = try String(contentsOf: PackageFolder.file("Docs/CLI-ABI.md"), encoding: .utf8)
        var rows: [Int32: String] = [:]
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let number = Int32(cells[0]) else { continue }
            #expect(rows[number] == nil, "documented twice: \(number)")
            rows[number] = cells[1].trimmingCharacters(in: ["`"])
        }
        return rows
    }

    @Test("every number is used once and fits a process's exit code")
    func numbers() {
        let numbers = ExitReason.allCases.map(\.rawValue)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.allSatisfy { (0...255).contains($0) })
    }

    @Test("every exit code is documented under its name, and nothing else is")
    func documentation() throws {
        let names = Dictionary(uniqueKeysWithValues: ExitReason.allCases.map { ($0.rawValue, "\($0)") })
        #expect(try Self.documented() == names)
    }

    @Test(
        "the keychain's codes that scripts test for have the numbers of macOS's security",
        arguments: [
            (ResultCode.itemNotFound, ExitReason.itemNotFound), (.duplicateItem, .duplicateItem),
            (.interactionNotAllowed, .locked), (.authFailed, .authenticationFailed),
            (ResultCode(rawValue: -128), .cancelled),
        ])
    func keychainCodes(_ code: ResultCode, _ status: ExitReason) {
        #expect(CommandFailure(ItemReply(code: code)).status == status)
        #expect(UInt8(truncatingIfNeeded: code.rawValue) == UInt8(status.rawValue))
    }

    @Test("any other code of the keychain is named in the message")
    func otherCodes() {
        let failure = CommandFailure(
            ItemReply(code: .param, refusal: Refusal(ruleName: "r", reason: "R.", advice: "A.")))
        #expect(failure.status == .keychainRefused)
        #expect(failure.text.contains("(-50 errSecParam)"))
        #expect(failure.text.contains("why: R."))
        #expect(failure.text.contains("do:  A."))
    }

    @Test("names and numbers of result codes lead to each other", arguments: ResultMessage.all.map(\.name))
    func names(_ name: String) throws {
        let code = try #require(ErrorTable.code(from: name))
        #expect(ErrorTable.code(from: String(code.rawValue)) == code)
        #expect(ErrorTable.name(of: code) != nil)
        #expect(ErrorTable.message(for: code).contains("OSStatus") == false)
    }
}
