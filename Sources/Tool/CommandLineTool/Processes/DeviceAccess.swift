import Foundation
import LatchkeyCryptoSuite
package import LatchkeyDevice
package import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPeerIdentity
import LatchkeyPlainText
import LatchkeyPrompt
import LatchkeySecretMemory

/// The device that a command works on: the one named by `--device`, else the one of this process.
package struct DeviceAccess: Sendable {
    package let keychain: any Keychain
    /// Where the daemon listens, if the device is behind one.
    package let socketPath: String?
    private let prompts: OwnPrompts
    /// True if a user at the terminal is prompted for the passcode of a locked device.
    let offersUnlocking: Bool
    /// True if the user named attributes by flags, and not by the constants of the SDK.
    private let speaksFlags: Bool
    /// The option that names the device in a command to type next; empty for the usual one.
    private(set) var option = ""

    /// - Parameter name: which device asks, for the prompts of a program that uses several.
    package init(
        _ location: DeviceLocation, offersUnlocking: Bool = false, speaksFlags: Bool = true, name: String? = nil
    ) throws(CommandFailure) {
        self.offersUnlocking = offersUnlocking
        self.speaksFlags = speaksFlags
        socketPath = if case .socket(let path) = location { path } else { nil }
        prompts = OwnPrompts(socketPath: socketPath, deviceName: name)
        if case .directory(let path) = location, ReadOnlyDevice.isNeeded(at: path) {
            keychain = try ReadOnlyDevice(path: path) { [prompts] copy throws(DeviceFailure) in
                try DeviceLocation.directory(path: copy).keychain(prompt: prompts.port, isOwnersTool: true)
            }
            return
        }
        do {
            keychain = try location.keychain(prompt: prompts.port, isOwnersTool: true)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The device in a directory, opened in this process for the items of all programs. A reader of the files can do as
    /// much; items that the passcode protects stay closed until it is given.
    package init(ofAllProgramsAt path: String, name: String? = nil) throws(CommandFailure) {
        socketPath = nil
        offersUnlocking = false
        speaksFlags = true
        prompts = OwnPrompts(socketPath: nil, deviceName: name)
        if ReadOnlyDevice.isNeeded(at: path) {
            keychain = try ReadOnlyDevice(path: path) { [prompts] copy throws(DeviceFailure) in
                try Self.keychainOfAllPrograms(at: copy, prompts)
            }
            return
        }
        do throws(DeviceFailure) {
            keychain = try Self.keychainOfAllPrograms(at: path, prompts)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func keychainOfAllPrograms(
        at path: String, _ prompts: OwnPrompts
    ) throws(DeviceFailure) -> any Keychain {
        let device = try EmbeddedDevice(
            directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .calibrated,
            followsTime: true, prompt: prompts.port)
        return device.keychain(
            for: Caller(
                name: RunningProcess.link("/proc/self/exe") ?? "latchkey",
                accessGroups: [AccessGroupList.everything]))
    }

    /// - Parameter makesDevice: a device that does not exist yet is made. Only commands that store something do that:
    ///   a search in a place without a device names the wrong place, or no place.
    /// - Parameter changes: true if the command changes the device. A read-only device is then refused before any
    ///   prompt, as for a command that makes a device.
    /// - Parameter speaksFlags: false for commands whose arguments are the constants of the SDK.
    package init(
        _ common: CommonOptions, makesDevice: Bool = false, changes: Bool = false, speaksFlags: Bool = true
    ) throws(CommandFailure) {
        let location = try Self.location(common)
        if !makesDevice, case .directory(let path) = location, !DeviceDirectory(path: path).holdsDevice {
            throw CommandFailure.noDevice(at: path, isNamed: common.device != nil)
        }
        // A program that reads JSON is told that the device is locked.
        try self.init(location, offersUnlocking: !common.json, speaksFlags: speaksFlags)
        option = common.device.map { " --device " + PlainText.escaped($0) } ?? ""
        if makesDevice || changes { try requireChanges() }
    }

    /// The device in the user's directory, where commands without `--device` use the system's.
    package static func secondDevice(_ common: CommonOptions) -> DeviceDirectory? {
        common.device == nil ? DeviceLocation.secondDevice() : nil
    }

    /// The device of the system installation, if this process would use that one: it is started by its use, and
    /// otherwise by root alone.
    package static func systemDevice(_ common: CommonOptions) -> SystemInstallation? {
        guard common.device == nil, let system = DeviceLocation.ofThisUser,
            (try? DeviceLocation.ofThisProcess()) == .socket(path: system.keychainSocket)
        else { return nil }
        return system
    }

    /// The directory that `start`, `stop` and `status` are about.
    package static func directory(_ common: CommonOptions) throws(CommandFailure) -> DeviceDirectory {
        if let named = common.device {
            guard !named.isEmpty else { throw CommandFailure(.usage, "The directory after --device has no name.") }
            return DeviceDirectory(path: named)
        }
        do {
            return DeviceDirectory(
                path: try DeviceLocation.userDirectory(environment: ProcessInfo.processInfo.environment))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The directory of the device that a command works on, also where only its socket is named.
    package static func deviceDirectory(_ common: CommonOptions) throws(CommandFailure) -> DeviceDirectory {
        guard common.device == nil else { return try directory(common) }
        let location = try location(common)
        switch location {
        case .directory(let path): return DeviceDirectory(path: path)
        case .socket: return DeviceDirectory(path: try DeviceAccess(location).status().directory)
        }
    }

    /// Asks the device, and turns a refusal into a failure.
    @discardableResult
    package func ask<Question: DeviceQuestion>(_ question: Question) throws(CommandFailure) -> Question.Answer {
        try answer(to: question)
    }

    @discardableResult
    package func ask<Question: ForwardedQuestion>(_ question: Question) throws(CommandFailure) -> Question.Answer {
        try answer(to: Forwarded(question))
    }

    private func answer<Question: DeviceQuestion>(to question: Question) throws(CommandFailure) -> Question.Answer {
        do throws(DeviceRefusal) {
            return try keychain.ask(question)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ refusal: DeviceRefusal) -> CommandFailure {
        switch refusal {
        case .unreachable(let refusal): return .daemonUnreachable(why: refusal.reason)
        case .declined(let code, let refusal): return CommandFailure(code, refusal)
        case .refused(let refusal):
            if let socketPath, SocketProbe.listener(at: socketPath) == nil {
                return .daemonUnreachable(why: "No process listens at \(socketPath).")
            }
            return CommandFailure(refusal)
        }
    }

    /// Performs a call; if it needs the person, that is asked on the terminal or in the desktop of this process, and so is
    /// the passcode of a device that is locked.
    package func call(_ request: ItemRequest) -> ItemReply {
        var reply = callOnce(request)
        if reply.code == .interactionNotAllowed, !request.isSilent, offerUnlocking() { reply = callOnce(request) }
        if reply.code == .success, AlwaysReadableNotice.isDue(for: request) { AlwaysReadableNotice.give() }
        if speaksFlags { reply.refusal = reply.refusal.map(FlagWords.translated) }
        return reply
    }

    private func callOnce(_ request: ItemRequest) -> ItemReply {
        guard request.mayAskPerson else { return keychain.perform(request) }
        return prompts.serving { keychain.perform(request) }
    }

    /// The same for a call that must succeed.
    package func perform(_ request: ItemRequest) throws(CommandFailure) -> ItemReply {
        let reply = call(request)
        guard reply.code == .success else { throw CommandFailure(reply) }
        return reply
    }

    /// Asks about an enclave key, and turns a refusal into a failure. The user is prompted as for an item.
    package func ask<Question: KeyQuestion>(_ question: Question) throws(CommandFailure) -> Question.Answer {
        var answer = answerOnce(to: question)
        if case .failure(let refusal) = answer, refusal.code == .interactionNotAllowed, question.mayAskPerson,
            offerUnlocking()
        {
            answer = answerOnce(to: question)
        }
        switch answer {
        case .success(let answer):
            if let question = question as? CreateEnclaveKey, AlwaysReadableNotice.isDue(for: question) {
                AlwaysReadableNotice.give()
            }
            return answer
        case .failure(let refusal): throw CommandFailure(ItemReply(code: refusal.code, refusal: refusal.refusal))
        }
    }

    private func answerOnce<Question: KeyQuestion>(
        to question: Question
    ) -> Result<Question.Answer, EnclaveKeyRefusal> {
        func answer() -> Result<Question.Answer, EnclaveKeyRefusal> {
            Result { () throws(EnclaveKeyRefusal) in try keychain.ask(question) }
        }
        return question.mayAskPerson ? prompts.serving { answer() } : answer()
    }

    /// The owner's authority to act in a group that is not this program's own: asked for each time.
    package func authority(
        for accessGroup: String?, secrets: SecretSource
    ) throws(CommandFailure) -> OwnerAuthority? {
        guard let accessGroup, accessGroup != Self.ownAccessGroup else { return nil }
        if accessGroup == OwnersGroup.name, try ownersTool().isCaller { return nil }
        guard try status().enclave.hasPasscode else {
            return unsafe OwnerAuthority(accessGroup: accessGroup, passcode: SecretBox(count: 0) { _ in })
        }
        let place =
            accessGroup == AccessGroupList.everything ? "the groups of all programs" : PlainText.escaped(accessGroup)
        let passcode = try secrets.passcode(prompt: "Device passcode (to act in \(place)): ")
        return OwnerAuthority(accessGroup: accessGroup, passcode: passcode)
    }

    /// The group that this program may use without asking.
    private static let ownAccessGroup = try? PeerIdentity.ofThisProcess().privateAccessGroup

    /// Where the device of a command is.
    package static func location(_ common: CommonOptions) throws(CommandFailure) -> DeviceLocation {
        guard common.device != nil else {
            do {
                return try DeviceLocation.ofThisProcess()
            } catch {
                throw CommandFailure(error)
            }
        }
        let directory = try directory(common)
        guard directory.exists else {
            throw CommandFailure.noDevice(at: directory.path, isNamed: true)
        }
        let isRunning = SocketProbe.listener(at: directory.keychainSocket) != nil
        return isRunning ? .socket(path: directory.keychainSocket) : .directory(path: directory.path)
    }
}

extension CommandFailure {
    static func noDevice(at path: String, isNamed: Bool) -> CommandFailure {
        CommandFailure(
            .deviceUnreachable, "There is no device at \(PlainText.escaped(path)).",
            why: isNamed ? nil : "This user has none yet, and a command that only reads does not make one.",
            advice: isNamed
                ? "`latchkey start --device \(PlainText.escaped(path))` makes one."
                : "`latchkey start` makes one; adding the first item does, too.")
    }
}
