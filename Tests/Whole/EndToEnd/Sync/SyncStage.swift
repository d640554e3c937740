import Foundation
import LatchkeyTestSupport
import Testing

/// A store in a temporary directory, and devices with the real programs.
final class SyncStage: Sendable {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    var folder: String { directory.path("store") }

    /// A device that has founded a circle, and its recovery code.
    func founder(_ name: String = "laptop", in folder: String? = nil) throws -> (device: SyncDevice, code: String) {
        let device = try SyncDevice(name, folder ?? self.folder)
        let made = try device.sync("create \(device.place) --owners-items no --json", SyncDevice.passcode)
        try #require(made.status == 0, "\(made.errors)")
        return (device, try #require(try made.json()["recoveryCode"] as? String))
    }

    /// A device that has joined the circle of another one.
    func device(_ name: String, invitedBy member: SyncDevice, in folder: String? = nil) throws -> SyncDevice {
        let device = try SyncDevice(name, folder ?? self.folder)
        try device.ask(member)
        try member.approve()
        try device.settle()
        return device
    }

    /// Two devices in one circle.
    func pair() throws -> (SyncDevice, SyncDevice) {
        let first = try founder("laptop").device
        return (first, try device("desktop", invitedBy: first))
    }

    /// The bytes of every file of the store.
    func storedBytes() throws -> [Data] {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.compactMap { FileManager.default.contents(atPath: folder + "/" + $0) }
    }
}

/// A device of a ``SyncStage``, with the passcode ``passcode``.
final class SyncDevice: Sendable {
    static let passcode = "246810"
    static let group = "group.example.mail"
    /// The seconds after which a wait has failed.
    private static let patience = 120

    let device: ThrowawayDevice
    let name: String
    let place: String

    convenience init(_ name: String, _ folder: String, environment: [String: String] = [:]) throws {
        try self.init(name, store: "folder:" + folder, environment: environment)
    }

    /// - Parameter store: the value of `--store`, and further options.
    init(_ name: String, store: String, environment: [String: String] = [:]) throws {
        device = try ThrowawayDevice.unlocked(environment: environment)
        self.name = name
        place = "--store \(store) --name \(name)"
    }

    /// Runs `latchkey sync`, with lines of standard input.
    @discardableResult
    func sync(_ line: String, _ lines: String...) throws -> Ending {
        try device("sync " + line, input: lines.map { $0 + "\n" }.joined())
    }

    // MARK: The circle

    func invitation() throws -> String {
        let made = try sync("invite --json", SyncDevice.passcode)
        try #require(made.status == 0, "\(made.errors)")
        return try #require(try made.json()["code"] as? String)
    }

    /// Leaves a request for the circle of a member.
    func ask(_ member: SyncDevice) throws {
        let asked = try sync("join \(place) --no-wait", Self.passcode, try member.invitation())
        try #require(asked.status == 0, "\(asked.errors)")
    }

    func approve() throws {
        let approved = try sync("approve --yes", Self.passcode)
        try #require(approved.status == 0, "\(approved.errors)")
    }

    /// Returns when the store has every change of this device, and this device has everything that the store shows.
    func settle() throws {
        let ending = try sync("wait --until-settled --timeout \(Self.patience)")
        let state = ending.status == 0 ? "" : try sync("status").output
        try #require(ending.status == 0, "\(name): \(ending.errors)\n\(state)")
    }

    func report() throws -> [String: Any] {
        try sync("status --json").json()
    }

    func membership() throws -> String? { try report()["membership"] as? String }

    func number(_ key: String) throws -> Int? { try report()[key] as? Int }

    /// The names of the members, as this device knows them.
    func members() throws -> Set<String> {
        let devices = try report()["devices"] as? [[String: Any]] ?? []
        return Set(devices.filter { $0["member"] as? Bool == true }.compactMap { $0["name"] as? String })
    }

    func identifier() throws -> String { try #require(try report()["device"] as? String) }

    // MARK: Items

    private func words(_ account: String) -> String {
        "-s mail -a \(account) --synchronizable --access-group \(Self.group)"
    }

    @discardableResult
    func add(_ account: String, _ secret: String, _ more: String = "") throws -> Ending {
        let ending = try device(
            "add-generic-password \(words(account)) \(more)", input: "\(Self.passcode)\n\(secret)")
        try #require(ending.status == 0, "\(ending.errors)")
        return ending
    }

    func update(_ account: String, _ secret: String) throws { try add(account, secret, "-U") }

    /// Returns false if the command failed, for instance because its daemon was killed.
    func tryUpdate(_ account: String, _ secret: String) throws -> Bool {
        try device("add-generic-password \(words(account)) -U", input: "\(Self.passcode)\n\(secret)").status == 0
    }

    func delete(_ account: String) throws {
        let ending = try device("delete-generic-password \(words(account))", input: "\(Self.passcode)\n")
        try #require(ending.status == 0, "\(ending.errors)")
    }

    /// The secret of an account; nil if there is no such item.
    func secret(of account: String) throws -> String? {
        let ending = try device("find-generic-password \(words(account)) -w", input: "\(Self.passcode)\n")
        if ending.status == 44 { return nil }
        try #require(ending.status == 0, "\(ending.errors)")
        return String(ending.output.dropLast())
    }

    // MARK: States

    func lock() throws { try #require(try device("lock --now").status == 0) }

    func unlock() throws {
        try #require(try device("unlock", input: "\(Self.passcode)\n").status == 0)
    }

    func restart() throws {
        try #require(try device("stop").status == 0)
        let started = try device("start")
        try #require(started.status == 0, "\(started.errors)")
        try unlock()
    }
}

extension [SyncDevice] {
    /// Returns when every one has what the others wrote, and has said so.
    func settle() throws {
        for _ in 0..<2 { for device in self { try device.settle() } }
    }
}
