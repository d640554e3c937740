import Glibc
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The steps of the tour. Each does something, looks at what came of it, and says so; one that did not do what it says
/// ends the tour.
struct Tour {
    let stage: TourStage
    let inputPath: String
    /// No lines as it goes; the report at the end lists the steps.
    let isQuiet: Bool
    private(set) var done: [String] = []

    private var passwords: [ImportedPassword] = []
    private var passcode = unsafe SecretBox(count: 0) { _ in }

    init(stage: TourStage, inputPath: String, isQuiet: Bool) {
        self.stage = stage
        self.inputPath = inputPath
        self.isQuiet = isQuiet
    }

    mutating func run() throws(CommandFailure) {
        try readInput()
        try start()
        try setPasscode()
        try storeEverything()
        try findEverything("Found again: every secret is byte for byte the one from the file")
        try lockAndBeRefused()
        try unlock()
        try findEverything("Found again after unlocking")
        try killDaemon()
        try killBoth()
        try searchFiles()
        try stop()
    }

    // MARK: Steps

    private mutating func readInput() throws(CommandFailure) {
        let contents = try SecretFile.read(inputPath)
        let format = TransferFormat.guess(of: contents)
        do {
            passwords = try format.read(contents).passwords
        } catch {
            throw CommandFailure(error, path: inputPath)
        }
        try expect(!passwords.isEmpty, "The file holds passwords", found: "\(inputPath) holds none")
        try report("Read \(ItemCount.text(passwords.count, "password")) from \(inputPath) (\(format.rawValue))")
    }

    private mutating func start() throws(CommandFailure) {
        let daemon = try stage.pair.start()
        let enclave = try required(stage.pair.enclave, "The enclave answers", found: "no enclave process")
        try report("Started: daemon \(daemon.identifier) and enclave \(enclave.identifier) for \(stage.directory.path)")
    }

    private mutating func setPasscode() throws(CommandFailure) {
        passcode = TourPasscode.random()
        try device().ask(SetPasscode(passcode))
        let status = try device().status().enclave
        try expect(
            status.hasPasscode && status.lockState == .unlocked, "A passcode is set", found: "\(status.lockState)")
        try report("Set a random passcode; the device is unlocked")
    }

    private mutating func storeEverything() throws(CommandFailure) {
        let device = try device()
        for password in passwords {
            let storing = PasswordStoring(
                device: device, itemClass: password.itemClass, primaryKey: password.primaryKey,
                attributes: password.attributes + [
                    QueryPair(.accessible, .string(ProtectionClass.whenUnlockedThisDeviceOnly.rawValue))
                ], isSynchronizable: false,
                owner: nil)
            _ = try storing.store(password.secret, replacing: true)
        }
        let count = try device.status().itemCounts.values.reduce(0, +)
        // Two entries of a file may be the same item.
        try expect(count > 0 && count <= Int64(passwords.count), "The items are stored", found: ItemCount.text(count))
        passwords = lastOfEach(passwords)
        try expect(count == Int64(passwords.count), "The items are stored", found: ItemCount.text(count))
        try report("Stored \(ItemCount.text(count)), protected while locked (when-unlocked-this-device-only)")
    }

    private mutating func findEverything(_ step: String) throws(CommandFailure) {
        for password in passwords {
            let reply = try device().perform(search(for: password))
            guard case .secret(let index)? = reply.result, reply.secrets.indices.contains(index) else {
                throw failed(step, found: "an item without a secret")
            }
            try expect(reply.secrets[index].equals(password.secret), step, found: "another secret")
        }
        try report("\(step) (\(passwords.count) of \(passwords.count))")
    }

    private mutating func lockAndBeRefused() throws(CommandFailure) {
        try device().ask(LockDevice(immediately: true))
        let state = try device().status().enclave.lockState
        try expect(state == .locked, "The device is locked", found: "\(state)")
        try report("Locked")
        try beRefused()
    }

    private mutating func unlock() throws(CommandFailure) {
        try device().ask(UnlockDevice(passcode))
        let state = try device().status().enclave.lockState
        try expect(state == .unlocked, "The device is unlocked", found: "\(state)")
        try report("Unlocked with the passcode")
    }

    private mutating func killDaemon() throws(CommandFailure) {
        let before = try kill(stage.pair.daemon, "daemon")
        let enclave = try required(stage.pair.enclave, "The enclave outlives the daemon", found: "no enclave process")
        let after = try stage.pair.start()
        try expect(after.identifier != before, "A new daemon runs", found: "the old one")
        try expect(
            stage.pair.enclave?.identifier == enclave.identifier, "The enclave is still the same process",
            found: "another one")
        try report("Killed the daemon with -9 and started it: process \(before) is now \(after.identifier)")
        try findEverything("Everything is still there, and the enclave has kept the device unlocked")
    }

    private mutating func killBoth() throws(CommandFailure) {
        let daemon = try kill(stage.pair.daemon, "daemon")
        let enclave = try kill(stage.pair.enclave, "enclave")
        _ = try stage.pair.start()
        let state = try device().status().enclave.lockState
        try expect(state == .beforeFirstUnlock, "A new enclave knows no keys", found: "\(state)")
        try report("Killed daemon \(daemon) and enclave \(enclave) with -9 and started both: locked, as after a reboot")
        try beRefused()
        try unlock()
        try findEverything("Everything is still there")
    }

    private mutating func searchFiles() throws(CommandFailure) {
        let search = TourSearch(passwords: passwords, passcode: passcode)
        let control = try search.count(in: inputPath)
        try expect(control > 0, "The search finds what there is", found: "nothing even in \(inputPath)")
        let files: [String]
        do throws(UnreadableDirectory) {
            files = try DirectoryTree.files(below: stage.directory.path)
        } catch {
            throw failed(
                "All files of the device can be read", found: "\(error.path): \(SystemError.text(error.errno))")
        }
        try expect(files.count > 2, "The device has files", found: "\(files.count)")
        let hit = try search.firstHit(in: files)
        try expect(hit == nil, "Neither secrets nor account names are on the disk", found: "one in \(hit ?? "")")
        var line = "Searched the \(files.count) files of the device for \(search.needleCount) secrets and account names"
        line += " (and the passcode): none is there; in \(inputPath) the same search finds \(control)"
        if search.skippedCount > 0 { line += "; \(search.skippedCount) were too short to search for" }
        try report(line)
    }

    private mutating func stop() throws(CommandFailure) {
        let count = try stage.pair.stop()
        try expect(count == 2, "Both processes end when asked", found: "\(count) were there")
        stage.clear()
        try expect(!stage.directory.exists, "The throwaway device is gone", found: stage.directory.path)
        try report("Stopped both processes and removed the throwaway device")
    }

    // MARK: Parts of steps

    private func device() throws(CommandFailure) -> DeviceAccess {
        try DeviceAccess(DeviceLocation.socket(path: stage.directory.keychainSocket))
    }

    private func search(for password: ImportedPassword) -> ItemRequest {
        let query = [QueryPair("class", .string(password.itemClass))] + password.primaryKey
        return ItemRequest(
            operation: .find, query: query + [QueryPair("r_Data", .boolean(true))], wantsResult: true)
    }

    /// Looks for an item that must be refused, and shows the code with the reason that the device remembers.
    private mutating func beRefused() throws(CommandFailure) {
        guard let password = passwords.first else { return }
        let reply = try device().keychain.perform(search(for: password))
        try expect(
            reply.code == .interactionNotAllowed && reply.result == nil && reply.secrets.isEmpty,
            "A locked item is refused", found: "result code \(reply.code.rawValue)")
        guard let record = try device().ask(ListRefusals(limit: 1)).first,
            record.code == .interactionNotAllowed, !record.refusal.reason.isEmpty
        else { throw failed("The refusal is explained", found: "no such record") }
        try report(
            "Refused, as it has to be: \(reply.code.rawValue) \(ErrorTable.name(of: reply.code) ?? "")",
            details: ["why: \(record.refusal.reason)", "do:  \(record.refusal.advice)"])
    }

    /// Kills a process for good and waits for its end.
    private func kill(_ process: RunningProcess?, _ name: String) throws(CommandFailure) -> Int32 {
        let process = try required(process, "The \(name) runs", found: "no such process")
        process.send(signal: SIGKILL)
        try expect(process.waitForEnd(milliseconds: 10_000), "The \(name) is dead", found: "it still runs")
        // A child of this very process stays in the table until its parent asks how it ended.
        waitpid(process.identifier, nil, WNOHANG)
        return process.identifier
    }

    /// Where a file has several entries for one item, the last one is what the keychain holds.
    private func lastOfEach(_ passwords: [ImportedPassword]) -> [ImportedPassword] {
        var seen: Set<[QueryPair]> = []
        return passwords.reversed().filter { password in
            seen.insert([QueryPair("class", .string(password.itemClass))] + password.primaryKey).inserted
        }.reversed()
    }

    // MARK: Saying what happened

    private mutating func report(_ step: String, details: [String] = []) throws(CommandFailure) {
        done.append(step)
        guard !isQuiet else { return }
        let lines = ["ok   \(step)"] + details.map { "       \($0)" }
        let isWritten = Descriptor.write(lines.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
        guard !isWritten else { return }
        let number = errno
        if number == EPIPE { stage.outputWasClosed() }
        throw .outputNotWritten(number)
    }

    private func expect(_ condition: Bool, _ step: String, found: String) throws(CommandFailure) {
        guard condition else { throw failed(step, found: found) }
    }

    private func required<Value>(_ value: Value?, _ step: String, found: String) throws(CommandFailure) -> Value {
        guard let value else { throw failed(step, found: found) }
        return value
    }

    private func failed(_ step: String, found: String) -> CommandFailure {
        CommandFailure(
            .tourStepFailed, "The tour ends here. Expected: \(step). Found: \(found).",
            advice: "This should not happen on any machine; please report it with this output.")
    }
}
