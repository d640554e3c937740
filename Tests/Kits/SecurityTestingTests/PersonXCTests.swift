import Dispatch
import LocalAuthentication
import Security
import SecurityTesting
import XCTest

/// A prompt without an answer in a test of XCTest: the failures are counted here, not reported.
final class PersonXCTests: XCTestCase {
    override var testRunClass: AnyClass? { ExpectingRun.self }

    private var failures: [String] { (testRun as? ExpectingRun)?.descriptions ?? [] }

    func testScriptedPromptsPass() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        device.run { XCTAssertEqual(SecItemAdd(.guarded(.userPresence), nil), errSecSuccess) }
        device.script(.passcode("1234"))
        device.run { XCTAssertEqual(SecItemCopyMatching(.reading(reason: "a"), nil), errSecSuccess) }
        (testRun as? ExpectingRun)?.expected = 0
    }

    func testPromptsWithoutAnAnswerFail() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        device.run { XCTAssertEqual(SecItemAdd(.guarded(.userPresence), nil), errSecSuccess) }
        device.run { XCTAssertEqual(SecItemCopyMatching(.reading(reason: "a"), nil), errSecAuthFailed) }
        XCTAssert(failures.contains { $0.contains("PersonXCTests.swift") && $0.contains("SecItemCopyMatching") })
        (testRun as? ExpectingRun)?.expected = 1
    }

    func testEvaluationsWithoutAnAnswerFail() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let isAnswered = expectation(description: "the reply")
        device.run {
            LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "open") { _, _ in
                isAnswered.fulfill()
            }
        }
        wait(for: [isAnswered], timeout: 60)
        XCTAssert(failures.contains { $0.contains("PersonXCTests.swift") && $0.contains("evaluatePolicy") })
        (testRun as? ExpectingRun)?.expected = 1
    }
}

/// Keeps failures, and reports one of its own if they are not as many as the test expects.
final class ExpectingRun: XCTestCaseRun {
    private(set) var descriptions: [String] = []
    var expected = 0

    override func recordFailure(
        withDescription description: String, inFile filePath: String?, atLine lineNumber: Int, expected: Bool
    ) {
        descriptions.append("\(filePath ?? ""): \(description)")
    }

    override func stop() {
        if descriptions.count != expected {
            super.recordFailure(
                withDescription: "\(expected) failures expected, found \(descriptions)", inFile: #filePath,
                atLine: #line, expected: true)
        }
        super.stop()
    }
}
