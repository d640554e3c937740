import LatchkeyBackupFormat

/// The index of a backup: what opens is read as a restore reads it, changed as the next backup changes it, and written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let index = try? BackupIndex(Array(Input(start: start, count: count))) else { return 0 }
    _ = try? index.count()
    _ = try? index.fileIDs()
    var records: [FileRecord] = []
    var visited = 0
    try? index.visit { row in
        visited += 1
        if case .success(let record) = row { records.append(record) }
        return visited < 1024
    }
    try? index.visit(domain: "HomeDomain") { row in
        visited += 1
        if case .success(let record) = row {
            precondition("\(record.domain)" == "HomeDomain", "a row of another domain")
        }
        return visited < 2048
    }
    for record in records.prefix(8) {
        if let found = try? index.record(record.fileID) {
            precondition(found.fileID == record.fileID, "a row of another number")
        }
    }
    try? index.change { changes in
        for record in records.prefix(8) { try changes.put(record) }
        if let first = records.first { try changes.remove(first.fileID) }
    }
    if let bytes = try? index.encoded(), let again = try? BackupIndex(bytes) { _ = try? again.count() }
    return 0
}
