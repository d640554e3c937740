@testable import LatchkeySyncCore

/// The plaintext of a segment, whose author may be malicious: what is accepted has its secrets inside, apart from each other, and what
/// writing it again gives is read as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let device = DeviceIdentifier([UInt8](0..<16)) else { return 0 }
    let name = ObjectName.segment(Dot(StreamIdentifier(device, .c), 1))
    guard let records = try? RecordPlaintext.records(in: input, of: name) else { return 0 }
    var end = 0
    for record in records {
        precondition(record.secret.lowerBound >= end && record.secret.upperBound <= count, "a secret is elsewhere")
        end = record.secret.upperBound
    }
    guard let written = try? RecordPlaintext(records) else { preconditionFailure("records cannot be written again") }
    let bytes = written.pieces.flatMap { piece -> [UInt8] in
        switch piece {
        case .bytes(let bytes): bytes
        case .secret(let record, _): Array(input[records[record].secret])
        }
    }
    let again = bytes.withUnsafeBytes { try? RecordPlaintext.records(in: $0, of: name) }
    precondition(again?.map(\.record) == records.map(\.record), "records were written as others than they are")
    return 0
}
