// A jogging app that goes on recording while the phone is locked. Its database is of class B, "complete unless open":
// it stays usable as long as it is open, and a locked phone does not open it.

import DataProtection
import Foundation
import GRDBSQLite
import ProtectedSQLite
import SecurityTesting

/// The app's code, as it would be on a phone.
final class Track {
    private let database: OpaquePointer

    init?(at path: String) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FILEPROTECTION_COMPLETEUNLESSOPEN
        guard ProtectedSQLite.sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            return nil
        }
        database = opened
        sqlite3_exec(database, "PRAGMA journal_mode=WAL; CREATE TABLE IF NOT EXISTS point(place TEXT)", nil, nil, nil)
    }

    deinit {
        sqlite3_close(database)
    }

    func record(_ place: String) -> Bool {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, "INSERT INTO point VALUES(?)", -1, &statement, nil) == SQLITE_OK else {
            return false
        }
        // SQLite copies a text whose destructor is -1.
        sqlite3_bind_text(statement, 1, place, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        return sqlite3_step(statement) == SQLITE_DONE
    }

    var count: Int32? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, "SELECT count(*) FROM point", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_int(statement, 0)
    }
}

func check(_ isRight: Bool, _ step: String) {
    print("\(isRight ? "yes" : "NO "): \(step)")
    if !isRight { exit(1) }
}

let device = try VirtualDevice()
try device.setPasscode("1234")
let path = device.files.url("track.db").path

device.run {
    var track = Track(at: path)
    check(track?.record("Tiergarten") == true, "an unlocked phone records a place")
    do {
        try device.lock()
        check(track?.record("Siegessäule") == true, "a locked phone goes on recording: the database is open")
        check(track?.count == 2, "and reads what it recorded")
        track = nil
        check(Track(at: path)?.record("Zoo") != true, "closed, it does not open while the phone is locked")
        try device.unlock("1234")
    } catch {
        check(false, "\(error)")
    }
    track = Track(at: path)
    check(track?.count == 2, "after the unlock both places are there")
}
check(
    (try? device.files.containing("Tiergarten".utf8).isEmpty) == true, "no file of the database shows a place")
check(device.findings.isEmpty, "nothing about the database is to be found fault with: \(device.findings)")
device.close()
