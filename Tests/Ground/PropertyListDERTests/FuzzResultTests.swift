import LatchkeyPropertyListDER
import Testing

/// Inputs that fuzzing found once.
@Suite struct FuzzResultTests {
    private static let moments = [
        "00000617044143.4Z", "00000101000000Z", "99991231235959.999999Z", "99991231235959.5Z",
    ]

    @Test("a date at the ends of the calendar means the same in its own encoding", arguments: moments)
    func endsOfCalendar(_ text: String) throws {
        let bytes = [0x18, UInt8(text.utf8.count)] + Array(text.utf8)
        let value = try DERReader.decode(bytes)
        #expect(try DERReader.decode(DERWriter.encode(value)) == value)
    }
}
