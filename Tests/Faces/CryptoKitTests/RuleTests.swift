import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import LocalAuthentication
import Testing

@testable import CryptoKit

@Suite("Refusals in the errors of CryptoKit")
struct RuleTests {
    /// The rows of the list of rules about authentication that items can meet, with the code of an evaluation.
    private static func documented() throws -> [String: Int] {
        let text = try String(contentsOf: PackageFolder.file("Docs/RefusalRules.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Authentication\n").dropFirst().first)
        var codes: [String: Int] = [:]
        for line in section.components(separatedBy: "\n## ")[0].split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 2, cells[1].contains("for items"), let code = Int(cells[1].prefix { $0 != "," }) else {
                continue
            }
            codes[cells[0].trimmingCharacters(in: ["`"])] = code
        }
        return codes
    }

    @Test("about a person have the code that an evaluation has for them")
    func codes() throws {
        let documented = try Self.documented()
        #expect(documented.count > 20)
        for (rule, code) in documented {
            let refusal = Refusal(ruleName: rule, reason: "", advice: "")
            let error = EnclaveRefusal.error(of: EnclaveKeyRefusal(.authFailed, refusal)) as? LAError
            #expect(error?.code.rawValue == code, "\(rule)")
        }
    }

    @Test("about anything else keep their result code")
    func others() {
        for code: ResultCode in [.interactionNotAllowed, .itemNotFound, .param, .notAvailable, .missingEntitlement] {
            let error = EnclaveRefusal.error(of: EnclaveKeyRefusal(code)) as NSError
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == Int(code.rawValue))
        }
        let cancelled = EnclaveRefusal.error(of: EnclaveKeyRefusal(.userCanceled))
        #expect((cancelled as? LAError)?.code == .userCancel)
        let failed = EnclaveRefusal.error(of: EnclaveKeyRefusal(.authFailed))
        #expect((failed as? LAError)?.code == .authenticationFailed)
    }
}
