import Foundation
import Testing

/// The items that `latchkey` itself keeps: their group is local until the circle allows it.
@Suite("latchkey sync: the owner's items")
struct OwnersItemsSyncTests {
    private static let group = "org.latchkey.owner"
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    private func allowed(_ device: SyncDevice) throws -> [String]? {
        try device.sync("groups list --json").json()["allowed"] as? [String]
    }

    @Test("travel in a circle that was founded without a word about them, and an add there says nothing")
    func travel() throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        let made = try laptop.sync("create \(laptop.place) --json", SyncDevice.passcode).json()
        #expect(made["ownersItems"] as? Bool == true && made["recoveryCode"] is String)
        #expect(try allowed(laptop) == [Self.group])
        let added = try laptop.device("add-generic-password -s mail -a anna --synchronizable -w", input: "s3cret\n")
        #expect(added.status == 0 && added.errors == "", "\(added.errors)")
        let desktop = try stage.device("desktop", invitedBy: laptop)
        try laptop.settle()
        try desktop.settle()
        #expect(try desktop.device("find-generic-password -s mail -a anna -w").output == "s3cret\n")
    }

    @Test("stay where that is asked for; an add says so and how to change it, and then they travel")
    func stay() throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        let made = try laptop.sync("create \(laptop.place) --owners-items no", SyncDevice.passcode)
        #expect(made.status == 0 && made.output.contains("`latchkey sync groups allow \(Self.group)`"))
        #expect(try allowed(laptop) == [])
        func add(_ name: String, _ options: String = "") throws -> String {
            let line = "add-generic-password -s \(name) -a anna --synchronizable \(options) -w"
            // The owner's way into another program's group asks for the passcode first.
            let passcode = options.contains("--access-group") ? SyncDevice.passcode + "\n" : ""
            let ending = try laptop.device(line, input: passcode + "s3cret\n")
            #expect(ending.status == 0, "\(ending.errors)")
            return ending.errors
        }
        let note = try add("one")
        #expect(note.contains("stays on this device: the group \(Self.group) is not shared"), "\(note)")
        #expect(note.contains("latchkey sync groups allow \(Self.group)"))
        #expect(try add("two", "--access-group group.example.mail") == "")
        #expect(try laptop.sync("groups allow \(Self.group)", SyncDevice.passcode).status == 0)
        #expect(try add("three") == "")
        #expect(
            try add("four", "--accessible after-first-unlock-this-device-only").contains("ends with ThisDeviceOnly"))
        #expect(try laptop.sync("pause", SyncDevice.passcode).status == 0)
        #expect(try add("five").contains("latchkey sync resume"))
    }

    @Test("an add outside of a circle says that there is none") func noCircle() throws {
        let device = try ThrowawayDevice.unlocked()
        let added = try device("add-generic-password -s mail -a anna --synchronizable -w", input: "s3cret\n")
        #expect(added.status == 0 && added.errors.contains("this device is in no circle"), "\(added.errors)")
        #expect(try device("add-generic-password -s local -a anna -w", input: "s3cret\n").errors == "")
    }

    @Test("a device that joins is told before its request is written", arguments: [true, false])
    func joining(areShared: Bool) throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        let choice = areShared ? "yes" : "no"
        try #require(
            try laptop.sync("create \(laptop.place) --owners-items \(choice)", SyncDevice.passcode).status == 0)
        let code = try #require(try laptop.sync("invite --json", SyncDevice.passcode).json()["code"] as? String)
        let desktop = try SyncDevice("desktop", stage.folder)
        let secrets = SyncDevice.passcode + "\n" + code
        let asked = try desktop.sync("join \(desktop.place) --no-wait", secrets)
        #expect(asked.status == 0, "\(asked.errors)")
        #expect(asked.errors.contains("In this circle: ") && asked.errors.contains(Self.group), "\(asked.errors)")
        #expect(asked.errors.contains("groups allow") == !areShared)
        // A wrong code is a wrong code, and leaves nothing behind.
        let phone = try SyncDevice("phone", stage.folder)
        let last = code.last == "A" ? "B" : "A"
        let wrong = try phone.sync(
            "join \(phone.place) --no-wait", SyncDevice.passcode + "\n" + code.dropLast() + last)
        #expect(wrong.status != 0 && !wrong.errors.contains("In this circle"))
        #expect(try phone.membership() == "none")
    }

    @Test("a terminal asks, and takes yes and no alone") func terminal() throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        let shell = try InteractiveShell(on: laptop.device)
        shell.type("$LK sync create \(laptop.place) --device '\(laptop.device.directory)'\n")
        try shell.read(until: "[yes]: ")
        shell.type("perhaps\n")
        try shell.read(until: "[yes]: ")
        shell.type("no\n")
        try shell.read(until: "asscode: ")
        shell.type(SyncDevice.passcode + "\n")
        try shell.read(until: "Group ")
        #expect(try allowed(laptop) == [])
    }
}
