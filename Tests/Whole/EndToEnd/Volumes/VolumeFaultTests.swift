import Foundation
import Glibc
import LatchkeyFileSystemTesting
import LatchkeyTestSupport
import Testing

@Suite("A mounted volume in a bad world", .needsVolumes)
struct VolumeFaultTests {
    @Test("a full disk is said, and nothing that was made durable is lost", .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 4)
        let stage = try MountStage(isMounted: false, store: disk.path + "/store")
        try stage.create()
        try stage.mount()
        func bytes(_ index: Int) -> [UInt8] { (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7 &+ index) } }
        // Until the disk takes no more.
        var stored = 0
        var failure: POSIXErrorCode?
        while failure == nil {
            try #require(stored < 1000)
            failure = FileHandleNumber.failure {
                let file = try FileHandleNumber(stage.path("f\(stored)"), O_RDWR | O_CREAT | O_EXCL)
                try file.write(bytes(stored))
                try file.synchronize()
            }
            if failure == nil { stored += 1 }
        }
        #expect(failure == .ENOSPC)
        #expect(stored > 20)
        #expect(FileHandleNumber.failure { try FileHandleNumber.store("x", at: stage.path("more")) } == .ENOSPC)
        for index in 0..<stored { #expect(try FileHandleNumber.content(stage.path("f\(index)")) == bytes(index)) }
        // Removing makes room, also for the one that failed.
        for index in 0..<5 { try #require(unlink(stage.path("f\(index)")) == 0) }
        unlink(stage.path("f\(stored)"))
        do {
            let file = try FileHandleNumber(stage.path("again"), O_RDWR | O_CREAT | O_EXCL)
            try file.write(bytes(7))
            try file.synchronize()
        }
        try stage.killServer()
        try stage.mount()
        for index in 5..<stored { #expect(try FileHandleNumber.content(stage.path("f\(index)")) == bytes(index)) }
        #expect(try FileHandleNumber.content(stage.path("again")) == bytes(7))
        try stage.unmount()
        let check = try stage.device(["volume", "check", stage.store, "--repair", "--json"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test("a damaged store is mounted and used: errors, or what a file once had", arguments: 1...8)
    func damage(_ seed: Int) throws {
        let stage = try MountStage()
        func text(_ index: Int) -> [UInt8] { (0..<30_000).map { UInt8(truncatingIfNeeded: $0 / 7 &+ index) } }
        for index in 0..<6 {
            let folder = stage.path("folder \(index % 2)")
            mkdir(folder, 0o700)
            try Data(text(index)).write(to: URL(fileURLWithPath: folder + "/file \(index)"))
        }
        try stage.unmount()
        let damaged = try Program.run([Program.built("volume-check"), "damage-store", stage.store, "\(seed)"])
        #expect(damaged.status == 0)
        // The description itself may be damaged.
        guard try stage.device(["volume", "mount", stage.store, stage.folder]).status == 0 else { return }
        let names = try Program.run(["find", stage.folder, "-type", "f", "-print0"])
        for name in names.output.split(separator: 0) {
            guard let bytes = try? FileHandleNumber.content(String(decoding: name, as: UTF8.self)) else { continue }
            // A stored file of no bytes is what a crash leaves, and is empty.
            #expect(bytes.isEmpty || (0..<6).contains { text($0) == bytes }, "\(String(decoding: name, as: UTF8.self))")
        }
        _ = try Program.run(["rm", "-rf", stage.path("folder 0")])
        try? FileHandleNumber.store("new", at: stage.path("new"))
        _ = try stage.server()
        try stage.unmount()
        _ = try stage.device(["volume", "check", stage.store, "--repair"])
    }

    /// More with `LATCHKEY_KILLS` (`Scripts/crash volume`).
    private static let rounds = Campaign.count(60, inTests: 4)
    /// Another one with `LATCHKEY_SEED`.
    private static let seed = Campaign.seed(0)

    /// Writes until its disk goes: numbered records into several files, new files and files in place of others. Each line
    /// that it prints is durable: a record of 5,000 bytes at a place in a file, or a file under its name.
    private static let writer = """
        import os, random, sys
        folder, seed = sys.argv[1], int(sys.argv[2])
        random = random.Random(seed)
        directory = os.open(folder, os.O_RDONLY)
        files = [os.open(f"{folder}/{seed}-log{n}", os.O_RDWR | os.O_CREAT) for n in range(4)]
        os.fsync(directory)
        for number in range(1000000):
            record = bytes([(number + place) % 251 for place in range(5000)])
            choice = random.randrange(3)
            if choice < 2:
                which, place = random.randrange(4), number % 50
                os.pwrite(files[which], record, place * 5000)
                os.fsync(files[which])
                print(f"{seed}-log{which}", place, number, flush=True)
            else:
                name = f"{seed}-file{random.randrange(20)}"
                new = os.open(f"{folder}/{name}.new", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
                os.write(new, record)
                os.fsync(new)
                os.close(new)
                os.rename(f"{folder}/{name}.new", f"{folder}/{name}")
                os.fsync(directory)
                print(name, 0, number, flush=True)
        """

    @Test("a server that is killed among renames, links and synchronizations loses none that were acknowledged")
    func stormOfNames() throws {
        let stage = try MountStage()
        try stage.unmount()
        var storm = PowerLoss(seed: 1, writer: try Installation.program("file-system-check").path)
        storm.rounds = max(2, Self.rounds / 10)
        let acknowledged = try storm.run(
            mount: {
                try stage.mount()
                return Path(stage.folder)
            }, kill: { try stage.killServer() }, unmount: { try stage.unmount() })
        #expect(acknowledged > 0)
        let check = try stage.device(["volume", "check", stage.store, "--repair"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test("a server that is killed in a storm of writes loses nothing that was acknowledged")
    func stormCampaign() throws {
        let stage = try MountStage(fileClass: "A")
        for seed in (0..<UInt64(Self.rounds)).map({ Self.seed &+ $0 }) {
            var acknowledged: [String: [Int: Int]] = [:]
            let child = Process()
            child.executableURL = URL(filePath: "/usr/bin/python3")
            child.arguments = ["-c", Self.writer, stage.folder, "\(seed)"]
            let (output, errors) = (Pipe(), Pipe())
            child.standardOutput = output
            child.standardError = errors
            try child.run()
            // Killed at another point in each round.
            var text = Data()
            var random = SplitMix(seed: seed)
            let limit = Int.random(in: 1...60, using: &random)
            while text.count(where: { $0 == 10 }) < limit {
                let piece = output.fileHandleForReading.availableData
                try #require(!piece.isEmpty, "the writer ended by itself")
                text += piece
            }
            try stage.killServer()
            text += try output.fileHandleForReading.readToEnd() ?? Data()
            child.waitUntilExit()
            #expect(child.terminationStatus != 0)
            for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count == 3, let place = Int(words[1]), let number = Int(words[2]) else { continue }
                acknowledged[String(words[0]), default: [:]][place] = number
            }
            try stage.mount()
            // The acknowledged content is there, or the one record that was written over it and not acknowledged any
            // more.
            let last = acknowledged.values.flatMap(\.values).max() ?? 0
            for (name, records) in acknowledged {
                let content = try FileHandleNumber.content(stage.path(name))
                for (place, number) in records {
                    let record = content.dropFirst(place * 5000).prefix(5000)
                    let isKnown = [number, last + 1].contains { number in
                        record.elementsEqual((0..<5000).lazy.map { UInt8((number + $0) % 251) })
                    }
                    #expect(isKnown, "seed \(seed): \(name), record \(place) of \(number)")
                }
            }
        }
        try stage.unmount()
        let check = try stage.device(["volume", "check", stage.store, "--repair"])
        #expect(check.status == 0, "\(check.output)")
        try stage.mount()
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder).isEmpty == false)
    }
}
