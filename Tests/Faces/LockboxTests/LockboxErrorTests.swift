import Foundation
import Lockbox
import Security
import SecurityTesting
import Testing

@Suite("Errors of a lockbox")
struct LockboxErrorTests {
    private static let all: [LockboxError] = [
        .noIdentifier, .emptyKey, .contradiction(reason: "No."), .notEncodable(key: "k", reason: "r"),
        .wrongType(key: "k", wanted: "w", found: "f"), .damaged(key: "k", reason: "r"), .locked, .personNeeded,
        .cancelled, .notAuthenticated, .missingEntitlement, .tooLarge(key: "k"), .contested(key: "k"), .unavailable,
        .failed(status: -36, message: "The disk failed."), .contradiction(reason: "Prompt.context takes an LAContext."),
        .damaged(key: "", reason: "r"), .tooLarge(key: ""),
    ]

    @Test("say what happened and what to do")
    func words() {
        for error in Self.all {
            let what = error.errorDescription ?? ""
            let advice = error.recoverySuggestion ?? ""
            #expect(what.hasSuffix(".") && advice.hasSuffix("."), "\(error)")
            #expect((error as any Error).localizedDescription == what)
            #expect("\(error)" == "\(what) \(advice)")
        }
        #expect(Set(Self.all.map(\.description)).count == Self.all.count)
    }

    @Test("of calls that name no key name none")
    func withoutKey() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try ValueTests.box()
            try box.set("x", for: "k")
            for status in [errSecDecode, errSecDataTooLarge] {
                device.failNext(.copyMatching, with: status)
                let listing = #expect(throws: LockboxError.self) { try box.allKeys }
                device.failNext(.delete, with: status)
                let removal = #expect(throws: LockboxError.self) { try box.removeAll() }
                for error in [listing, removal] { #expect(error?.description.contains("\"\"") == false) }
            }
        }
    }

    @Test("come for every status of the keychain, and for each call")
    func statuses() throws {
        let expected: [(OSStatus, LockboxError)] = [
            (errSecInteractionNotAllowed, .locked), (errSecUserCanceled, .cancelled),
            (errSecAuthFailed, .notAuthenticated), (errSecMissingEntitlement, .missingEntitlement),
            (errSecDataTooLarge, .tooLarge(key: "k")), (errSecNotAvailable, .unavailable),
            (errSecDecode, .damaged(key: "k", reason: "its key does not open")),
            (errSecDiskFull, .unavailable),
            (-9, .failed(status: -9, message: "OSStatus -9")),
        ]
        let device = try VirtualDevice()
        try device.run {
            let box = try ValueTests.box()
            for (status, error) in expected {
                try box.set("x", for: "k")
                device.failNext(.copyMatching, with: status)
                #expect(throws: error) { try box.string(for: "k") }
                device.failNext(.update, with: status)
                #expect(throws: error) { try box.set("y", for: "k") }
                device.failNext(.delete, with: status)
                #expect(throws: error) { try box.removeValue(for: "k") }
                #expect(try box.string(for: "k") == "x")
                try box.removeValue(for: "k")
                device.failNext(.add, with: status)
                #expect(throws: error) { try box.set("x", for: "k") }
                #expect(try box.string(for: "k") == nil)
            }
        }
    }
}
