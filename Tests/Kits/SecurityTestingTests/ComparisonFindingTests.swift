import CLatchkeyComparisonWatch
import CLatchkeyShims
import CommonCrypto
import Foundation
import LatchkeyCommonCryptoFunctions
import SecurityTesting
import Testing

@Suite(
    "Findings about comparisons",
    .enabled(if: lk_comparison_watch_exists(), "a sanitizer has a memcmp of its own"))
struct ComparisonFindingTests {
    private static let key = Data((0..<32).map { UInt8(0x80 + $0) })

    @Test("flag == of Data and of text, and memcmp, at the line of the comparison")
    func variableTime() throws {
        let table: [(String, (Data, Data) -> Bool)] = [
            ("Data", { one, other in one == other }),
            (
                "memcmp",
                { one, other in
                    one.withUnsafeBytes { a in
                        other.withUnsafeBytes { memcmp(a.baseAddress!, $0.baseAddress!, 32) == 0 }
                    }
                }
            ),
            ("cut", { one, other in one.prefix(16) == other.prefix(16) }),
            ("text", { one, other in one.digits == other.digits }),
            ("method of Data", { one, other in one.isSameAsOnceUsual(other) }),
        ]
        for (name, isSame) in table {
            let device = try VirtualDevice()
            let received = authenticationCode(.message, key: Self.key)
            var isRight = false
            device.run { isRight = isSame(authenticationCode(.message, key: Self.key), received) }
            #expect(isRight)
            let finding = try #require(device.findings.first, "\(name)")
            #expect(
                device.findings.count == 1 && finding.kind == .variableTimeComparison && finding.call == .comparison)
            #expect(finding.callSite?.file.hasSuffix("ComparisonFindingTests.swift") ?? false, "\(name): \(finding)")
        }
    }

    @Test("flag a guess that is wrong, too")
    func wrongGuess() throws {
        let device = try VirtualDevice()
        let guess = Data.drawn(32)
        var isRight = true
        device.run { isRight = authenticationCode(.message, key: Self.key) == guess }
        #expect(!isRight)
        #expect(device.findings.map(\.kind) == [.variableTimeComparison])
    }

    @Test("leave the number of the last error as it was")
    func errorNumber() throws {
        let device = try VirtualDevice()
        var after: Int32 = 0
        device.run {
            let code = Array(authenticationCode(.message, key: Self.key))
            let guess = Array(Data.drawn(32))
            errno = EXDEV
            _ = memcmp(code, guess, 32)
            after = errno
        }
        #expect(after == EXDEV)
        #expect(device.findings.map(\.kind) == [.variableTimeComparison])
    }

    @Test("flag a decrypted secret that is compared")
    func decrypted() throws {
        let device = try VirtualDevice()
        let cipher = Cipher(mode: kCCModeCBC, options: kCCOptionPKCS7Padding, key: Self.key, iv: .drawn(16))
        let ciphertext = try #require(cipher.encrypt(.message))
        var isRight = false
        device.run {
            _ = authenticationCode(ciphertext, key: Self.key)
            isRight = cipher.decrypt(ciphertext) ?? Data() == .message
        }
        #expect(isRight)
        #expect(device.findings.map(\.kind) == [.variableTimeComparison])
    }

    @Test("leave constant-time comparisons alone, and what a test compares")
    func constantTime() throws {
        let device = try VirtualDevice()
        let received = authenticationCode(.message, key: Self.key)
        device.run {
            let computed = authenticationCode(.message, key: Self.key)
            let isSame = zip(computed, received).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
            #expect(isSame)
            let areEqual = computed.withUnsafeBytes { one in
                received.withUnsafeBytes { lk_equal_bytes(one.baseAddress, $0.baseAddress, 32) }
            }
            #expect(areEqual == 1)
            #expect(computed == received)
            #expect(Data.drawn(32) != received)
        }
        #expect(device.findings.isEmpty, "\(device.findings)")
    }

    @Test("know no codes of other devices, and none that were computed outside of an app")
    func others() throws {
        let one = try VirtualDevice()
        let other = try VirtualDevice()
        let code = authenticationCode(.message, key: Self.key)
        var results: [Bool] = []
        one.run { results.append(authenticationCode(.message, key: Self.key) == Data(count: 32)) }
        other.run { results.append(code == Data(count: 32)) }
        #expect(results == [false, false])
        #expect(one.findings.map(\.kind) == [.variableTimeComparison])
        #expect(other.findings.isEmpty)
    }
}

extension Data {
    fileprivate var digits: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    fileprivate func isSameAsOnceUsual(_ other: Data) -> Bool {
        self == other
    }
}
