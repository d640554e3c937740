import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// Folders that are missing, full, replaced, carried, and read by others.
@Suite("latchkey sync: the folder between the devices")
struct SyncFolderTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    @Test("a circle is founded in a folder that is there") func missingAtFirst() throws {
        let laptop = try SyncDevice("laptop", stage.folder + "/none")
        let ending = try laptop.sync("create \(laptop.place)", SyncDevice.passcode)
        #expect(ending.status == 69 && ending.errors.contains(stage.folder + "/none"), "\(ending)")
        #expect(try laptop.membership() == "none")
        let codes = try laptop.sync("recover \(laptop.place)", SyncDevice.passcode, "x").status
        #expect(codes == 67, "the code is looked at first")
        try FileManager.default.createDirectory(atPath: stage.folder + "/none", withIntermediateDirectories: true)
        #expect(try laptop.sync("create \(laptop.place)", SyncDevice.passcode).status == 0)
        for line in ["create --store \(stage.folder)", "create --store etcd:host", "create --store folder:"] {
            #expect(try laptop.sync(line, SyncDevice.passcode).status == 64, "\(line)")
        }
    }

    @Test("while the folder is away changes wait and status says it; then they travel") func away() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("before", "one")
        try [laptop, desktop].settle()
        let away = stage.folder + "-away"
        try FileManager.default.moveItem(atPath: stage.folder, toPath: away)
        try laptop.add("bob", "secret")
        try laptop.sync("now")
        #expect(try laptop.report()["storeTrouble"] is String)
        #expect(try laptop.sync("status").output.contains("the folder is not there"))
        #expect(try laptop.number("waitingChanges") ?? 0 > 0)
        #expect(try laptop.sync("wait --until-settled --timeout 1").status == 42)
        #expect(try laptop.sync("invite", SyncDevice.passcode).status == 69)
        #expect(try laptop.secret(of: "bob") == "secret", "local work goes on")
        try FileManager.default.moveItem(atPath: away, toPath: stage.folder)
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "secret")
        #expect(try laptop.report()["storeTrouble"] is NSNull)
    }

    @Test("an empty folder in the place of the other one gets everything again") func replaced() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("before", "one")
        try [laptop, desktop].settle()
        // Moved and not removed: a transport may write there at this moment.
        try FileManager.default.moveItem(atPath: stage.folder, toPath: stage.folder + "-away")
        try FileManager.default.createDirectory(atPath: stage.folder, withIntermediateDirectories: true)
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "secret" && desktop.secret(of: "before") == "one")
        try desktop.add("carol", "other")
        try [desktop, laptop].settle()
        #expect(try laptop.secret(of: "carol") == "other")
    }

    @Test(
        "a folder that can only be read, and one that is full, lose nothing",
        .needsMounts, arguments: [true, false])
    func unwritable(_ isReadOnly: Bool) throws {
        let disk = try SmallDisk(megabytes: 4, at: stage.folder)
        let (laptop, desktop) = try stage.pair()
        try laptop.add("before", "one")
        try [laptop, desktop].settle()
        try isReadOnly ? disk.makeReadOnly() : disk.fill()
        try laptop.add("bob", "secret")
        try laptop.sync("now")
        let words = try laptop.sync("status").output
        #expect(words.contains(isReadOnly ? "can only be read" : "it is full"), "\(words)")
        #expect(try laptop.sync("invite", SyncDevice.passcode).status == 70)
        let other = try SyncDevice("other", stage.folder)
        #expect(try other.sync("create \(other.place)", SyncDevice.passcode).status == 70)
        #expect(try other.membership() == "none")
        try isReadOnly ? disk.makeWritable() : disk.empty()
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "secret")
        #expect(try laptop.report()["storeTrouble"] is NSNull)
        for device in [laptop, desktop] { try device.device("stop") }
        withExtendedLifetime(disk) {}
    }

    @Test(
        "two folders between which rsync copies do as well as one",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync"), "needs the package rsync"))
    func carried() throws {
        let far = stage.directory.path("far")
        try FileManager.default.createDirectory(atPath: far, withIntermediateDirectories: true)
        func carry() throws {
            for (from, to) in [(stage.folder, far), (far, stage.folder)] {
                let outcome = try Program.run(
                    // An old copy of a head must not replace the head that its device has just written.
                    ["rsync", "-rlt", "--update", "--checksum", "--exclude=/latchkey-sync/*/tmp", from + "/", to + "/"])
                try #require(outcome.status == 0, "\(outcome.complaints)")
            }
        }
        let (laptop, _) = try stage.founder()
        let desktop = try SyncDevice("desktop", far)
        let code = try laptop.invitation()
        #expect(try desktop.sync("join \(desktop.place) --no-wait", SyncDevice.passcode, code).status == 67)
        try carry()
        #expect(try desktop.sync("join \(desktop.place) --no-wait", SyncDevice.passcode, code).status == 0)
        #expect(try laptop.sync("approve --yes", SyncDevice.passcode).status == 68)
        try carry()
        try laptop.approve()
        func settle() throws {
            for _ in 0..<3 {
                try carry()
                for device in [laptop, desktop] { try device.sync("now") }
            }
        }
        try settle()
        #expect(try desktop.membership() == "member")
        try laptop.add("bob", "one")
        try desktop.add("carol", "two")
        try settle()
        #expect(try desktop.secret(of: "bob") == "one" && laptop.secret(of: "carol") == "two")
        try desktop.delete("bob")
        try settle()
        #expect(try laptop.secret(of: "bob") == nil)
        #expect((try laptop.report()["alarms"] as? [Any])?.isEmpty == true)
    }

    @Test("the folder shows no item, no name, no group and no device") func blind() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("telltale-account", "telltale-secret")
        try [laptop, desktop].settle()
        try desktop.update("telltale-account", "telltale-other")
        try [laptop, desktop].settle()
        try laptop.sync("recovery-code new", SyncDevice.passcode)
        try laptop.settle()
        let files = try stage.storedBytes()
        #expect(files.count > 5)
        let system = try Program.run(["uname", "-r"]).output.dropLast()
        let needles =
            ["telltale", SyncDevice.group, "example.mail", "laptop", "desktop", "genp", "acct"].map { Data($0.utf8) }
            + [Data(system)]
        for needle in needles {
            let found = files.filter { $0.range(of: needle) != nil }.count
            #expect(found == 0, "\(String(decoding: needle, as: UTF8.self)) is in \(found) files")
        }
        // And the scan sees what is there.
        #expect(files.contains { $0.range(of: Data("LKSY".utf8)) != nil })
    }
}
