import CommonCrypto
import Foundation
import SecurityTesting
import XCTest

/// Comparisons that a test of XCTest makes itself are not findings.
final class ComparisonXCTests: XCTestCase {
    func testAssertionsAreNoFindings() throws {
        let device = try VirtualDevice()
        let key = Data((0..<32).map { UInt8(0x80 + $0) })
        let received = authenticationCode(.message, key: key)
        device.run {
            let computed = authenticationCode(.message, key: key)
            XCTAssertEqual(computed, received)
            XCTAssertNotEqual(computed, Data(count: 32))
        }
        XCTAssertEqual(device.findings.map(\.kind), [])
    }
}
