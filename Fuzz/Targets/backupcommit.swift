import Foundation
import Glibc
import LatchkeyBackupFormat

private let parent: String = {
    var template = Array("/dev/shm/latchkey-fuzz.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("no directory for a backup") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}()
private let kept = FileID(domain: "HomeDomain", path: "kept")

/// The file that says which payloads go when a run that was interrupted is finished: it removes payloads of the backup, and
/// nothing else.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(Input(start: start, count: count))
    let folder = parent + "/backup"
    for path in ["\(folder)", "\(folder)/Snapshot", "\(folder)/\(kept.folder)", "\(folder)/Snapshot/ab"] {
        mkdir(path, 0o700)
    }
    func put(_ bytes: [UInt8], _ path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard write(file, bytes, bytes.count) == bytes.count else { preconditionFailure("no file for a backup") }
        close(file)
    }
    let others = ["\(parent)/outside", "\(folder)/Info.plist", "\(folder)/\(kept.folder)/not-a-payload"]
    for path in others { put([1], path) }
    put([2], "\(folder)/\(kept.folder)/\(kept)")
    put(input, "\(folder)/Snapshot/commit")
    let isNamed = String(decoding: input, as: UTF8.self).contains(kept.description)
    if let stage = try? BackupStage(in: parent, named: "backup") {
        precondition(access("\(folder)/Snapshot/commit", F_OK) != 0, "the mark stays")
        stage.discardUnlessCommitted()
    }
    for path in others { precondition(access(path, F_OK) == 0, "\(path) is gone") }
    let isThere = access("\(folder)/\(kept.folder)/\(kept)", F_OK) == 0
    precondition(isThere || isNamed, "a payload that was not named is gone")
    return 0
}
