import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import Testing

@testable import LatchkeySensor

@Suite("The words of fprintd")
struct FprintWordTests {
    @Test(
        "for a touch that a person can repeat are unclear touches, those of newer versions too",
        arguments: [
            ("retry-scan", UnclearTouch.again), ("too-fast", .again), ("swipe-too-short", .tooShort),
            ("finger-not-centered", .notCentered), ("remove-and-retry", .removeFinger),
        ])
    func unclear(_ word: String, _ touch: UnclearTouch) {
        #expect(VerificationWord("verify-" + word) == .event(.unclear(touch)))
        #expect(EnrolmentWord("enroll-" + word) == .unclear(touch))
    }

    @Test("unknown to the enclave mean that the reader gave up", arguments: ["unknown-error", "", "match "])
    func unknown(_ word: String) {
        #expect(VerificationWord("verify-" + word) == .broken)
        #expect(EnrolmentWord("enroll-" + word) == .broken)
    }
}
