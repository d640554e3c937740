import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages

extension VirtualDevice {
    /// The protected files of the device: a directory for the code under test, and a look at what is stored there.
    public var files: VirtualFiles { VirtualFiles(of: self) }

    /// The keychain as an app sees it that is not installed: every app may ask about every file.
    var anyAppsKeychain: any Keychain {
        VirtualApp("files", Entitlements(applicationIdentifier: "\(Self.defaultTeam).files"), on: self).keychain
    }

    /// The keychain as no app in particular sees it.
    func ownersKeychain(_ call: String) throws(VirtualDeviceError) -> any Keychain {
        let keychain = stage.keychain(for: Caller(name: "device owner", accessGroups: []))
        if let closed = keychain as? ClosedKeychain { throw closed.error(call) }
        return keychain
    }

    /// Lets time pass, and reports the files of class A that stay open through the end of a grace period: the lock had been
    /// announced, and their app had its time.
    func watchingOpenFiles(_ pass: () throws(VirtualDeviceError) -> Void) throws(VirtualDeviceError) {
        guard !openFilesOfClassA.isEmpty, try isLocked(withinGrace: true) else { return try pass() }
        try pass()
        guard try isLocked(withinGrace: false) else { return }
        for file in openFilesOfClassA {
            calls.noteOnce(
                Observation(
                    flaw: Review.openAfterGrace, app: "", path: fileReview.name(ofFileAt: file.path), place: .here()))
        }
    }

    private var openFilesOfClassA: [OpenFile] {
        FileVault.openFiles(on: anyAppsKeychain).filter { $0.isFollowingDevice && $0.protection == .complete }
    }

    private func isLocked(withinGrace: Bool) throws(VirtualDeviceError) -> Bool {
        let enclave = try answer(to: DescribeDevice(), "advance").enclave
        return enclave.lockState == .locked && (enclave.graceSecondsLeft != nil) == withinGrace
    }
}
