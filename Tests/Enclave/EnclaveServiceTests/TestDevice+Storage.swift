import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Testing

extension TestDevice {
    private init(_ device: TestDevice, enclave: EnclaveService) {
        directory = device.directory
        clock = device.clock
        entropy = device.entropy
        sensor = device.sensor
        self.enclave = enclave
    }

    /// The same device, whose passcodes cost what they cost in use.
    func calibrated() throws -> TestDevice {
        let storage = try FileEnclaveStorage(directory: directory.storage, entropy: entropy)
        return TestDevice(
            self,
            enclave: try EnclaveService(storage: storage, clock: clock, entropy: entropy, passcodeCost: .calibrated))
    }

    /// The keybag as it is on disk.
    func storedKeybag() throws -> Keybag {
        let storage = try FileEnclaveStorage(directory: directory.storage, entropy: entropy)
        return try Keybag(parsing: try #require(try storage.keybag()))
    }
}
