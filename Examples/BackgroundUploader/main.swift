// An uploader that goes on while the phone is locked. Its outbox is of class B, so that it can record at any time; what it
// uploads is put together when the lock is announced, because then the keys of class A are still there; the result is of
// class C, which a locked phone reads.

import DataProtection
import DataProtectionEvents
import Foundation
import SecurityTesting

/// The app's code, as it would be on a phone.
final class Uploader {
    private let directory: URL
    /// Open for as long as the app runs: a file of class B stays usable, and cannot be opened while the phone is locked.
    private let outbox: ProtectedFileHandle
    private(set) var sent: [String] = []

    init(in directory: URL) throws {
        self.directory = directory
        outbox = try ProtectedFileHandle(
            forCreating: directory.appendingPathComponent("outbox"), protection: .completeUnlessOpen)
    }

    private var profile: URL { directory.appendingPathComponent("profile") }
    private var prepared: URL { directory.appendingPathComponent("prepared") }

    /// Stores the name that only an unlocked phone may show.
    func setProfile(_ name: String) throws {
        try Data(name.utf8).writeProtected(to: profile, options: [.completeFileProtection, .atomic])
    }

    /// At any time.
    func record(_ measurement: String) throws {
        try outbox.seekToEnd()
        try outbox.write(contentsOf: Data("\(measurement)\n".utf8))
        try outbox.synchronize()
    }

    /// While everything opens: takes the outbox, and adds what the locked phone could not read.
    func prepare() throws {
        try outbox.seek(toOffset: 0)
        guard let measurements = try outbox.readToEnd() else { return }
        let batch = try Data(contentsOfProtected: profile) + Data(": ".utf8) + measurements
        try batch.writeProtected(
            to: prepared, options: [.completeFileProtectionUntilFirstUserAuthentication, .atomic])
        try outbox.truncate(atOffset: 0)
        try outbox.synchronize()
    }

    /// Also while the phone is locked.
    func upload() throws {
        guard FileManager.default.fileExists(atPath: prepared.path) else { return }
        let batch = try Data(contentsOfProtected: prepared)
        sent.append(String(decoding: batch, as: UTF8.self).split(separator: "\n").joined(separator: ", "))
        try FileManager.default.removeItem(at: prepared)
    }

    func follow(_ state: ProtectedDataState) throws {
        switch state {
        case .becomingUnavailable: try prepare()
        case .unavailable, .beforeFirstUnlock: try upload()
        case .available:
            try prepare()
            try upload()
        }
    }
}

func check(_ isRight: Bool, _ step: String) {
    print("\(isRight ? "yes" : "NO "): \(step)")
    if !isRight { exit(1) }
}

let device = try VirtualDevice()
try device.setPasscode("1234")
let uploader = try device.run { try Uploader(in: device.files.directory) }
try device.run { try uploader.setProfile("Anna") }

/// The states that the app is told one after the other, and what happens then.
var story: [(state: ProtectedDataState, then: () throws -> Void)] = [
    (
        .available,
        {
            try uploader.record("60 bpm")
            try uploader.record("61 bpm")
            try device.lock(withGrace: true)
        }
    ),
    (.becomingUnavailable, { try device.advance(by: .seconds(11)) }),
    (
        .unavailable,
        {
            check(uploader.sent == ["Anna: 60 bpm, 61 bpm"], "the locked phone uploads what was prepared")
            try uploader.record("72 bpm")
            check(device.run { (try? uploader.prepare()) == nil }, "it records, but cannot prepare another upload")
            check(try !device.files.isReadable("outbox"), "no other program can open the outbox now")
            try device.unlock("1234")
        }
    ),
    (.available, { check(uploader.sent.last == "Anna: 72 bpm", "what it recorded goes out after the unlock") }),
]

for await state in device.run({ ProtectedDataEvents() }) {
    let (expected, then) = story.removeFirst()
    check(state == expected, "the app hears that protected data is \(state)")
    try device.run { try uploader.follow(state) }
    try then()
    if story.isEmpty { break }
}
check(story.isEmpty, "it sent \(uploader.sent)")

for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
