public import Foundation
import LatchkeyKeychainMessages
import Synchronization

/// A phone for tests: its own keychain and enclave, apps, passcode, lock state and clock, in a temporary directory.
///
/// Devices share nothing, so tests with a device each run in parallel.
///
/// ```swift
/// let device = try VirtualDevice()
/// try device.setPasscode("1234")
/// let mail = device.install("com.example.mail", team: "A1B2C3D4E5")
/// mail.run { SecItemAdd(query, nil) }
/// try device.lock()
/// ```
///
/// The directory is removed when the device and its apps are no longer used, by ``close()``, or when the process ends that
/// made the device. A forked child removes nothing.
public final class VirtualDevice: Sendable, CustomStringConvertible {
    /// The seed of all random bytes of an embedded device. Give it to ``init(backend:seed:startingAt:executables:)`` to
    /// repeat a failure.
    public let seed: UInt64
    public let backend: Backend
    /// The name in a ``SyncLaboratory``; nil for a device of its own.
    public let name: String?
    /// Everything the device stores is below this directory.
    public let directory: URL

    let calls = CallWatch()
    /// The user, who answers the device's prompts.
    let person: ScriptedPerson
    let stage: any DeviceStage
    let passcode = Mutex<String?>(nil)
    /// The password for backups, once one was set.
    let backupPassword = Mutex<String?>(nil)
    let installed = Mutex<[String: [String]]>([:])
    let fileReview: FileReview
    /// The number of changes by other devices that ``awaitRemoteChange(within:)`` has returned for, since the start of the daemon.
    let remoteChanges = Mutex<Int64>(0)
    let hasReportedFindings = Atomic<Bool>(false)
    /// The laboratory that the device belongs to.
    let laboratory = Mutex<LaboratoryLink?>(nil)

    /// Makes a device that has no passcode and no items.
    ///
    /// - Parameters:
    ///   - backend: objects in this process, or the daemon and the enclave as processes.
    ///   - seed: for the random bytes of an embedded device; chosen by chance if nil.
    ///   - start: what the clock of an embedded device shows; it stands still until ``advance(by:)``.
    ///   - executables: the directory of `latchkeyd` and `latchkey-enclave`, for processes; where the running program
    ///     is if nil.
    /// - Throws: ``VirtualDeviceError`` if the device cannot be made.
    public convenience init(
        backend: Backend = .embedded, seed: UInt64? = nil,
        startingAt start: Date = Date(timeIntervalSinceReferenceDate: 800_000_000), executables: URL? = nil
    ) throws(VirtualDeviceError) {
        let seed = seed ?? .random(in: .min ... .max)
        try self.init(
            named: nil, backend: backend, seed: seed, in: TemporaryDirectory(), clock: VirtualClock(start: start),
            executables: executables)
    }

    /// Makes a device on the files that a directory has, or a new one in an empty directory.
    ///
    /// - Parameter clock: the clock of an embedded device.
    init(
        named name: String?, backend: Backend = .embedded, seed: UInt64, in directory: TemporaryDirectory,
        clock: VirtualClock, executables: URL? = nil
    ) throws(VirtualDeviceError) {
        // Before this device maps a database.
        _ = CapturedCall.images
        self.seed = seed
        self.backend = backend
        self.name = name
        self.directory = directory.url
        fileReview = FileReview(of: directory.url.appendingPathComponent("files", isDirectory: true))
        // Another stream than that of the device, so that fingers do not change the device's own bytes.
        let person = ScriptedPerson(entropy: SeededEntropy(seed: ~seed))
        self.person = person
        self.stage =
            switch backend {
            case .embedded: try EmbeddedStage(directory, seed: seed, clock: clock, person: person)
            case .processes: try ProcessStage(directory, executables: executables, person: person)
            }
        do throws(VirtualDeviceError) {
            try directory.make("files")
        } catch {
            stage.close()
            throw error
        }
    }

    deinit {
        reportFindings()
        stage.close()
    }

    /// Ends the device: its processes stop and its directory is removed. Calls made afterwards are refused.
    public func close() {
        resignCurrent()
        fileReview.end()
        reportFindings()
        stage.close()
    }

    /// Names the backend and the seed, for the messages of failing tests.
    public var description: String {
        guard backend == .embedded else { return "VirtualDevice(backend: .processes)" }
        return "VirtualDevice(\(name.map { "named: \"\($0)\", " } ?? "")seed: \(seed))"
    }
}

/// A device is equal to itself alone.
extension VirtualDevice: Hashable {
    public static func == (left: VirtualDevice, right: VirtualDevice) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
