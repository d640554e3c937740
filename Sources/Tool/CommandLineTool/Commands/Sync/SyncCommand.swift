package import ArgumentParser
import Foundation
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// `latchkey sync`.
package struct SyncCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Let synchronizable items travel between devices, end to end encrypted.",
        discussion: """
            The devices of a circle leave what they have for each other in a store, which learns nothing: a folder that \
            all of them reach, or that any program copies between them.
            """,
        subcommands: [
            SyncCreate.self, SyncInvite.self, SyncJoin.self, SyncApprove.self, SyncStatus.self, SyncDevices.self,
            SyncRemove.self, SyncLeave.self, SyncRecover.self, SyncRecoveryCode.self, SyncConflicts.self,
            SyncWait.self, SyncNow.self, SyncPause.self, SyncResume.self, SyncRekey.self, SyncRepair.self,
            SyncGroups.self, SyncStore.self,
        ])

    package init() {}
}

/// The store and the name of this device there.
package struct StoreInput: ParsableArguments {
    @OptionGroup package var place: StorePlaceInput

    @Option(help: "The name of this device, for the people who have the others; this machine's if none is given.")
    package var name: String?

    package init() {}

    func address() throws(CommandFailure) -> StoreAddress { try place.address() }

    func deviceName() throws(CommandFailure) -> String {
        let name = name ?? String(decoding: ProcessInfo.processInfo.hostName.utf8.prefix(63), as: UTF8.self)
        guard (1...CircleDevice.nameByteLimit).contains(name.utf8.count) else {
            throw CommandFailure(.usage, "A device's name has 1 to \(CircleDevice.nameByteLimit) bytes.")
        }
        return name
    }
}

/// The place of a store.
package struct StorePlaceInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the devices leave what they have for each other: folder:DIR, or etcd:https://HOST,https://HOST2.",
            valueName: "store"))
    package var store: String

    @Option(help: ArgumentHelp("etcd: the authorities that may certify the servers, in PEM.", valueName: "file"))
    package var ca: String?

    @Option(help: ArgumentHelp("etcd: the certificate of this device for the servers, in PEM.", valueName: "file"))
    package var certificate: String?

    @Option(help: ArgumentHelp("etcd: the key of the certificate, in PEM.", valueName: "file"))
    package var key: String?

    @Option(help: ArgumentHelp("etcd: the user's name there.", valueName: "name"))
    package var user: String?

    @Option(help: ArgumentHelp("etcd: a file with the user's password.", valueName: "file"))
    package var passwordFile: String?

    package init() {}

    func address() throws(CommandFailure) -> StoreAddress {
        if store.hasPrefix(EtcdAddress.prefix) { return try etcd() }
        let prefix = "folder:"
        guard store.hasPrefix(prefix), store.utf8.count > prefix.utf8.count else {
            throw CommandFailure(
                .usage, "The store is not named as one.",
                advice: "Name a folder or servers: --store folder:DIR, --store etcd:https://HOST")
        }
        guard parts.isEmpty else {
            throw CommandFailure(.usage, "A folder has no servers.", advice: "Leave the options of etcd out.")
        }
        guard let address = StoreAddress(folder: Self.wholePath(String(store.dropFirst(prefix.count)))) else {
            throw CommandFailure(.usage, "The path of the store is too long.")
        }
        return address
    }

    private var parts: [EtcdAddress.Part: String] {
        let options: [EtcdAddress.Part: String?] = [
            .authority: ca, .certificate: certificate, .key: key, .user: user, .passwordFile: passwordFile,
        ]
        return options.compactMapValues { $0 }
    }

    private func etcd() throws(CommandFailure) -> StoreAddress {
        let named: EtcdAddress
        do throws(EtcdAddress.Failure) {
            let address = try EtcdAddress(store)
            let whole = Dictionary(
                uniqueKeysWithValues: parts.map { ($0.key, $0.key.isFile ? Self.wholePath($0.value) : $0.value) })
            named = try EtcdAddress(
                servers: address.servers.map(\.description), parts: address.parts.merging(whole) { $1 })
        } catch {
            throw CommandFailure(
                .usage, "The store is not named as one.", why: "\(error).",
                advice: "Name its servers, and the files of this machine: --store etcd:https://HOST --ca FILE")
        }
        guard let address = StoreAddress(.etcd(named)) else {
            throw CommandFailure(.usage, "The paths of the store's files are too long.")
        }
        return address
    }

    private static func wholePath(_ path: String) -> String {
        let whole = PathText.isAbsolute(path) ? path : FileManager.default.currentDirectoryPath + "/" + path
        return URL(fileURLWithPath: whole).standardizedFileURL.path
    }
}

/// Where a code comes from: a terminal without echo, standard input, or a descriptor.
package struct CodeInput: ParsableArguments {
    @Option(help: ArgumentHelp("Read the code, one line, from this descriptor instead.", valueName: "n"))
    package var codeFd: Int32?

    package init() {}

    func code(prompt: String) throws(CommandFailure) -> SecretBox {
        try PasswordEntry.check(codeFd, reading: .code)
        return try PasswordEntry(descriptor: codeFd, standardInputIsFile: false, reading: .code).line(prompt: prompt)
    }
}

/// `latchkey sync create`.
package struct SyncCreate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Found a circle with this device in it. Asks for the passcode.",
        discussion: """
            Shows the recovery code, once: with it and the store, a device comes into the circle when no other one is \
            left. Write it down, and keep it where no device is lost with it: a terminal that has shown it asks for two of \
            its groups. The items that latchkey itself keeps travel if you want; a terminal asks.
            """)

    @Option(
        help: ArgumentHelp(
            "Whether the items that latchkey itself keeps with --synchronizable travel, too: asked on a terminal, else yes.",
            valueName: "yes|no"))
    package var ownersItems: OwnersItems?

    @OptionGroup package var store: StoreInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let address = try store.address()
        let device = try DeviceAccess(common, changes: true)
        let name = try store.deviceName()
        let travel = ownersItems ?? (common.json ? .yes : OwnersItems.asked())
        let passcode = try device.ownersPasscode(common)
        let made = try device.ask(CreateCircle(store: address, deviceName: name, passcode: passcode))
        let items: (areShared: Bool, text: String) =
            travel == .yes ? device.shareOwnersItems(passcode) : (false, OwnersItems.stay)
        return .secret(
            made.code, named: "recoveryCode",
            before: "The circle is founded, and this device is in it. The recovery code is shown this once:\n",
            after: items.text + "\nOther devices: `latchkey sync invite` here, then `latchkey sync join` there.",
            more: [("ownersItems", .boolean(items.areShared))]
        ).showing(made.code, orElse: "The circle is founded, and its recovery code was not shown.")
    }
}

/// `latchkey sync invite`.
package struct SyncInvite: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make an invitation for one more device. Asks for the passcode.",
        discussion: """
            Shows a code to type on the other device. It is valid once, for 24 hours, and only while this daemon runs; a new one ends it.
            """)

    @Flag(help: "Wait for the device that answers with the code, and admit it without another question.")
    package var wait = false

    @Flag(help: "End the open invitation instead.")
    package var cancel = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        guard !cancel else {
            let count = try device.ask(CancelInvitation(passcode: try device.ownersPasscode(common))).count
            return Report(
                count == 0 ? "There was no open invitation." : "The invitation is ended.",
                json: .object([("cancelled", .integer(Int64(count)))]))
        }
        let passcode = try device.ownersPasscode(common)
        let made = try device.ask(InviteDevice(passcode: passcode))
        let next =
            wait
            ? "The device that answers with it is admitted (Ctrl-C ends the wait; `latchkey sync approve` then admits it)."
            : "Then approve the device here: `latchkey sync approve`."
        let code = Report.secret(
            made.code, named: "code",
            before: "Type this code on the other device, with `latchkey sync join`:\n",
            after: "It is valid once, until \(CalendarDate.text(made.expires)). " + next,
            more: [("expires", .string(CalendarDate.text(made.expires)))])
        guard wait else { return code }
        try code.write(asJSON: common.json)
        return try device.admitAnswering(passcode)
    }
}

extension DeviceAccess {
    /// In seconds. A request is in the store alone, so the store is looked into.
    private static let requestInterval: Int64 = 2

    /// Waits for a request with the code of the open invitation, and admits its device.
    fileprivate func admitAnswering(_ passcode: SecretBox?) throws(CommandFailure) -> Report {
        var known: Int64?
        while true {
            if let found = try ask(ListJoinRequests()).first {
                try ask(ApproveDevice(found.identifier, passcode: passcode))
                return .admitted(found)
            }
            guard try ask(DescribeCircle()).invitationExpires != nil else {
                throw CommandFailure(
                    .notApproved, "No device has answered the invitation.",
                    why: "It is over, was cancelled, or had five wrong answers.", advice: "Make a new one.")
            }
            known = try ask(AwaitSync(after: known, seconds: Self.requestInterval)).number
        }
    }
}

extension Report {
    /// A code for a person, who asked for it.
    static func secret(
        _ code: SecretBox, named name: String, before: String, after: String, more: [(String, JSONValue)] = []
    ) -> Report {
        Report(
            pieces: [.text("\(before)\n    "), .secret(code), .text("\n\n\(after)\n")],
            json: .object([(name, .secret(code))] + more))
    }

    /// Returns the report as one that shows a recovery code, which is stored nowhere.
    /// - Parameter failure: the words for a code that could not be shown.
    func showing(_ recovery: SecretBox, orElse failure: String) -> Report {
        var report = self
        report.loss = (failure, "Make another one: `latchkey sync recovery-code new`.")
        report.question = { RecoveryCodeCheck(recovery).ask() }
        return report
    }
}
