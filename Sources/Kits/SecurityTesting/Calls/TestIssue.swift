import Testing
import XCTest

/// Makes the running test fail, of whichever library it is.
enum TestIssue {
    static func record(_ prompt: UnansweredPrompt) {
        record(prompt.description, at: prompt.callSite)
    }

    /// Outside of a test nothing happens.
    static func record(_ text: String, at place: CallSite?) {
        let file = place?.file ?? "SecurityTesting"
        let line = place?.line ?? 1
        // A call on a thread of its own belongs to no test that Swift Testing knows of; it then fails the whole run.
        if Test.current == nil { recordForXCTest(text, file, line) }
        let parts = file.split(separator: "/").suffix(2)
        Issue.record(
            Comment(rawValue: text),
            sourceLocation: SourceLocation(
                fileID: parts.count == 2 ? parts.joined(separator: "/") : "unknown/\(file)", filePath: file,
                line: max(1, line), column: 1))
    }

    /// XCTest takes the name of the file as text that is in the program.
    private static func recordForXCTest(_ text: String, _ file: String, _ line: Int) {
        XCTFail("\(file):\(line): \(text)")
    }
}
