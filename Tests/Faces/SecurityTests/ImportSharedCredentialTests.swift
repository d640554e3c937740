import Foundation
import LatchkeyTestSupport
import Security
import Testing

@Suite("Shared web credentials")
struct ImportSharedCredentialTests {
    @Test("a password is four groups of three mixed characters")
    func password() throws {
        var passwords: Set<String> = []
        for _ in 0..<200 {
            let password = try #require(SecCreateSharedWebCredentialPassword() as String?)
            #expect(password.wholeMatch(of: #/([A-HJ-NP-Za-hkmno-y3-9]{3}-){3}[A-HJ-NP-Za-hkmno-y3-9]{3}/#) != nil)
            #expect(password.contains { $0.isUppercase })
            #expect(password.contains { $0.isLowercase })
            #expect(password.contains { $0.isNumber })
            passwords.insert(password)
        }
        #expect(passwords.count == 200)
    }

    @available(*, deprecated)
    @Test("nothing is stored and nothing found, and both are told")
    func unimplemented() {
        let added = Pending {
            waiting { done in
                SecAddSharedWebCredential("example.com" as CFString, "me" as CFString, "x" as CFString) { error in
                    done(error)
                }
            }
        }
        let requested = Pending {
            waiting { done in
                SecRequestSharedWebCredential(nil, nil) { credentials, error in
                    done(credentials == nil ? error : nil)
                }
            }
        }
        for answer in [added, requested] {
            let error = answer.value(within: 60) ?? nil
            #expect(error?.code == Int(errSecUnimplemented))
            #expect(error?.domain == NSOSStatusErrorDomain)
            #expect(error?.localizedFailureReason?.isEmpty == false)
        }
    }
}

/// Blocks until the body's end was told.
private func waiting(_ body: (@escaping (CFError?) -> Void) -> Void) -> CFError? {
    let ended = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var found: CFError?
    body { error in
        found = error
        ended.signal()
    }
    ended.wait()
    return found
}
