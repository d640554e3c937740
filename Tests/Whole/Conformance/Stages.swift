import SecurityTesting
import Testing

typealias Backend = VirtualDevice.Backend

/// The devices that the rows of a suite share, one for each backend, gone when the suite ends.
struct SharedDevices: Sendable {
    @TaskLocal static var current: SharedDevices?

    private let devices: [Backend: Result<VirtualDevice, any Error>]

    init() {
        var devices: [Backend: Result<VirtualDevice, any Error>] = [:]
        for backend in Backend.allCases {
            devices[backend] = Result { try VirtualDevice(backend: backend) }
        }
        self.devices = devices
    }

    static func device(_ backend: Backend) throws -> VirtualDevice {
        try #require(current?.devices[backend]).get()
    }

    func close() throws {
        for device in devices.values { try device.get().close() }
    }
}

/// Makes the shared devices before the first row of a suite and removes them after the last.
struct SharedDevicesTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let devices = SharedDevices()
        try await SharedDevices.$current.withValue(devices) { try await function() }
        try devices.close()
    }
}

extension Trait where Self == SharedDevicesTrait {
    static var sharedDevices: Self { SharedDevicesTrait() }
}

/// The states of a device in which the rows of lock tables are played.
enum Stage: String, Sendable, CaseIterable {
    /// Never had a passcode.
    case open
    case unlocked
    case locked
    case beforeFirstUnlock
    /// Had a passcode, and has none now.
    case passcodeRemoved
    case unlockedAgain

    /// Brings a new device to where items are prepared.
    func prepare(_ device: VirtualDevice) throws {
        if self != .open { try device.setPasscode("1234") }
    }

    /// Brings a prepared device into the state.
    func enter(_ device: VirtualDevice) throws {
        switch self {
        case .open, .unlocked: break
        case .locked: try device.lock()
        case .beforeFirstUnlock: try device.reboot()
        case .passcodeRemoved: try device.removePasscode("1234")
        case .unlockedAgain:
            try device.reboot()
            try device.unlock("1234")
            try device.lock()
            try device.unlock("1234")
        }
    }

    /// Plays rows: all preparations, one change of state, then all rows.
    func play(_ rows: [Row], on backend: Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try prepare(device)
        let scenes = try rows.map { try Scene($0, on: device) }
        for scene in scenes { try scene.row.given(scene) }
        try enter(device)
        for scene in scenes { try scene.row.play(scene) }
        device.close()
    }
}
