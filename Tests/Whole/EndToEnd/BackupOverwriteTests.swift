import Foundation
import LatchkeyBackupFormat
import LatchkeyTestSupport
import Testing

/// `latchkey import ios-backup` over what is there, and with backups that were made to do harm. The backups are this
/// device's own, without a password, so that no password is stretched.
@Suite("Imports over what is there") struct BackupOverwriteTests {
    private static let passcode = "246810\n"

    /// A device with an item and a file as they are in `old`, and the backup `new` in which both were changed later.
    private static func stage() throws -> (ThrowawayDevice, FileStage) {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try FileManager.default.createDirectory(atPath: stage.path("d"), withIntermediateDirectories: true)
        func backUp(_ name: String, _ content: String, _ date: String) throws {
            #expect(try device("add-generic-password -U -s mail -a me", input: content).status == 0)
            try stage.write(Array(content.utf8), to: "d/file")
            #expect(try stage("touch -d '\(date) 12:00:00 UTC' d/file").status == 0)
            let made = try device(
                "backup create \(stage.path(name)) --files AppDomain-test=\(stage.path("d"))", input: passcode)
            #expect(made.status == 0, "\(made.errors)")
        }
        try backUp("old", "old", "2020-01-01")
        try backUp("new", "new", "2021-01-01")
        #expect(try device("delete-generic-password -s mail -a me").status == 0)
        let imported = try device(
            "import ios-backup \(stage.path("old")) --all --files \(stage.path("f")) --json", input: passcode
        ).json()
        #expect((imported["items"] as? [String: Int])?["restored"] == 1 && imported["files"] as? Int == 1)
        return (device, stage)
    }

    private static func state(_ device: ThrowawayDevice, _ stage: FileStage) throws -> [String] {
        [
            try device("find-generic-password -s mail -a me -w").output,
            String(decoding: try stage.bytes("f/AppDomain-test/file"), as: UTF8.self),
        ]
    }

    @Test("without --overwrite nothing that is here changes, item or file")
    func kept() throws {
        let (device, stage) = try Self.stage()
        let line = "import ios-backup \(stage.path("new")) --all --files \(stage.path("f")) --json"
        let imported = try device(line, input: Self.passcode).json()
        #expect((imported["items"] as? [String: Int])?["kept"] == 1 && imported["kept"] as? Int == 1)
        #expect(try Self.state(device, stage) == ["old\n", "old"])
    }

    @Test("with --overwrite items and files are replaced after a question, and both are counted")
    func asked() throws {
        let (device, stage) = try Self.stage()
        let line = "import ios-backup \(stage.path("new")) --all --files \(stage.path("f")) --overwrite"
        // There is no terminal to ask on.
        let refused = try device(line, input: Self.passcode)
        #expect(refused.status != 0 && refused.errors.contains("1 item and 1 file"), "\(refused.errors)")
        #expect(try Self.state(device, stage) == ["old\n", "old"])
        let imported = try device(line + " --yes --json", input: Self.passcode).json()
        #expect((imported["items"] as? [String: Int])?["replaced"] == 1 && imported["replaced"] as? Int == 1)
        #expect(try Self.state(device, stage) == ["new\n", "new"])
        // Nothing is left to replace, so nothing is asked.
        #expect(try device(line, input: Self.passcode).status == 0)
    }

    @Test("a file that differs is asked about also if no item does")
    func fileAlone() throws {
        let (device, stage) = try Self.stage()
        let items = "import ios-backup \(stage.path("new")) --all --overwrite --yes"
        #expect(try device(items, input: Self.passcode).status == 0)
        #expect(try Self.state(device, stage) == ["new\n", "old"])
        let line = "import ios-backup \(stage.path("new")) --all --files \(stage.path("f")) --overwrite"
        let refused = try device(line, input: Self.passcode)
        #expect(refused.status != 0 && refused.errors.contains("1 file") && !refused.errors.contains("item"))
        #expect(try Self.state(device, stage) == ["new\n", "old"])
        let report = try device(line + " --yes", input: Self.passcode)
        #expect(report.status == 0 && report.output.contains("0 new, 1 replaced"), "\(report.output)")
        #expect(try Self.state(device, stage) == ["new\n", "new"])
    }

    // MARK: Hostile domains

    /// Adds rows with these domains to the index of a backup without a password, each with a payload.
    private static func add(_ domains: [String], path: String, to folder: String) throws {
        let index = try BackupIndex(BackupFolder(folder).bytes(of: BackupNames.index))
        let record = FileRecord(domain: "AppDomain-test", path: path, kind: .file, mode: 0o100644)
        try index.change { changes in
            for domain in domains { try changes.testOnlyPut(domain: domain, path: path, like: record) }
        }
        try Data(index.stored(key: nil)).write(to: URL(fileURLWithPath: folder + "/" + BackupNames.index))
        for domain in domains {
            let id = FileID(domain: domain, path: path)
            try FileManager.default.createDirectory(
                atPath: folder + "/" + id.folder, withIntermediateDirectories: true)
            try Data("harm".utf8).write(to: URL(fileURLWithPath: folder + "/\(id.folder)/\(id)"))
        }
    }

    @Test("no command writes outside of its directory for the name of a domain")
    func domains() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try FileManager.default.createDirectory(atPath: stage.path("d"), withIntermediateDirectories: true)
        try stage.write(Array("good".utf8), to: "d/good")
        let made = try device(
            "backup create \(stage.path("b")) --files AppDomain-test=\(stage.path("d")) --json", input: Self.passcode
        ).json()
        let domains = ["../.ssh", "..", "AppDomain-test/link", "AppDomain-test./../../y"]
        try Self.add(domains, path: "authorized_keys", to: try #require(made["path"] as? String))
        let before = try stage.names()

        let verify = try device("backup verify \(stage.path("b"))")
        #expect(verify.status == 65)
        for domain in domains { #expect(verify.output.contains(domain + "/authorized_keys"), "\(verify.output)") }
        let all = "import ios-backup \(stage.path("b")) --all --files \(stage.path("in/f"))"
        let refused = try device(all, input: Self.passcode)
        #expect(refused.status == 65 && refused.output.contains("../.ssh/authorized_keys"))
        #expect(!stage.has("in/f/AppDomain-test"))
        let imported = try device(all + " --skip-damaged --json", input: Self.passcode)
        #expect(imported.status == 34)
        #expect(try imported.json()["files"] as? Int == 1 && (imported.json()["failed"] as? [String])?.count == 4)
        let one = "import ios-backup \(stage.path("b")) --app test --files \(stage.path("in/g")) --skip-damaged"
        #expect(try device(one, input: Self.passcode).status == 34)
        let to = "--no-items --to AppDomain-test=\(stage.path("in/r"))"
        #expect(try device("backup restore \(stage.path("b")) \(to)").status == 65 && !stage.has("in/r"))
        #expect(try device("backup restore \(stage.path("b")) \(to) --skip-damaged").status == 34)
        // No argument names such a domain.
        #expect(try device("backup restore \(stage.path("b")) --no-items --to ..=\(stage.path("x"))").status == 64)
        for file in ["../.ssh/authorized_keys", "../authorized_keys", "AppDomain-test/link/authorized_keys"] {
            #expect(try device("backup extract \(stage.path("b")) \(file) -o \(stage.path("out"))").status != 0)
            #expect(!stage.has("out"))
        }
        #expect(try device("backup rehearse \(stage.path("b"))").status == 65)

        #expect(try stage.names() == before.union(["in"]))
        let found = try stage("find in -type f | sort").output.split(separator: "\n")
        #expect(found == ["in/f/AppDomain-test/good", "in/g/AppDomain-test/good", "in/r/good"])
    }
}
