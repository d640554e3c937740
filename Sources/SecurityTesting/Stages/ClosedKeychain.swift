import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The keychain of a device that was closed.
struct ClosedKeychain: Keychain {
    private static let refusal = Refusal(
        rule: "device-closed", reason: "The virtual device was closed.", advice: "Close it after the last call.")

    func perform(_ request: ItemRequest) -> ItemReply {
        ItemReply(code: .notAvailable, refusal: Self.refusal)
    }

    func perform(_ request: DeviceRequest) -> DeviceReply {
        .refused(.storage(reason: "\(Self.refusal.reason) \(Self.refusal.advice)"))
    }

    func perform(_ request: KeyRequest) -> KeyReply {
        .failed(.notAvailable, Self.refusal)
    }

    func openSession() -> any AuthenticationSession { EndedSession() }
}
