import Testing

@testable import LatchkeyPeerIdentity

@Suite("A record of /proc/PID/stat tells lives and programs of a process apart")
struct ProcessRecordTests {
    /// Fields 3 to 28 of proc(5), then a few more.
    static let rest =
        "S 1 2 3 0 -1 4194560 16 0 0 0 0 0 0 0 20 0 1 0 103276 2400256 78 18446744073709551615 5 6 7777 8 9"

    @Test(
        "the name may hold brackets, blanks and line ends",
        arguments: ["cat", "a b", "x) S 1 2", "()", ")", "new\nline", ""])
    func names(name: String) throws {
        let record = try #require(ProcessRecord(statText: Array("42 (\(name)) \(Self.rest)\n".utf8)))
        #expect(record.startTime == 103_276)
        #expect(record.startStack == 7777)
    }

    @Test(
        "an invalid record is refused",
        arguments: ["", "42", "42 (cat)", "42 (cat) S 1 2 3", "42 (cat) " + rest.replacing("103276", with: "x")])
    func noRecords(text: String) {
        #expect(ProcessRecord(statText: Array(text.utf8)) == nil)
    }
}
