import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The keychain of a device that was closed, or is switched off.
struct ClosedKeychain: Keychain {
    private let refusal: Refusal
    /// The error that the device's own calls throw.
    let error: @Sendable (_ call: String) -> VirtualDeviceError

    static let ofClosedDevice = ClosedKeychain(
        refusal: Refusal(.deviceClosed),
        error: { .closed($0) })

    static let ofStoppedDevice = ClosedKeychain(
        refusal: Refusal(.deviceStopped),
        error: { .notRunning($0) })

    var identity: ObjectIdentifier { ObjectIdentifier(Self.self) }

    func perform(_ request: ItemRequest) -> ItemReply {
        ItemReply(code: .notAvailable, refusal: refusal)
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        throw .refused(.storage(reason: "\(refusal.reason) \(refusal.advice)"))
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        throw EnclaveKeyRefusal(.notAvailable, refusal)
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        throw FileKeyRefusal(.notAvailable, refusal)
    }

    func openSession() -> any AuthenticationSession { EndedSession() }

    func watchProtectedData() -> any ProtectedDataWatch { EndedWatch() }

    func watchItems() -> any ItemWatch { EndedItemWatch() }
}
