import LatchkeyBackupFormat

/// The record of a file in the index of a backup: the kind, then the keyed archive. Its own bytes give the same record.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(Input(start: start, count: count))
    guard let flags = input.first else { return 0 }
    let path = "Library/file"
    guard
        let record = try? FileRecord(
            domain: "HomeDomain", path: path, flags: Int(flags), archive: Array(input.dropFirst()))
    else { return 0 }
    let archive = record.archive
    // A record with many attributes can be longer than an index may have.
    guard archive.count <= FileRecord.blobByteLimit else { return 0 }
    guard
        let again = try? FileRecord(domain: "HomeDomain", path: path, flags: Int(flags), archive: archive)
    else { preconditionFailure("the own bytes are refused") }
    precondition(again.archive == archive || again == record, "the own bytes mean something else")
    return 0
}
