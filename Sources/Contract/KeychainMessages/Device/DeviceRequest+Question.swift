import LatchkeyEnclaveCore
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

extension DeviceRequest: DeviceQuestion {
    package typealias Answer = DeviceReply

    package var content: (field: PropertyValue, secrets: [SecretBox]) {
        let inner = EnclaveMessageCodec.encode(enclaveQuestion)
        return (.data(inner.body), inner.secrets)
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> DeviceReply {
        try device.answer(self)
    }

    package var traits: KeychainTraits {
        switch self {
        case .passcodeCost: .repeatable
        case .lock: [.repeatable, .audited, .startsTimes]
        case .setPasscode, .configure: [.ownersAlone, .changesDevice, .audited, .startsTimes]
        case .erase: [.ownersAlone, .changesDevice, .audited]
        case .changePasscode, .removePasscode: [.dependsOnPasscode, .changesDevice, .audited]
        case .unlock: [.audited, .startsTimes]
        case .biometry(let request): request.traits
        }
    }

    package var name: String {
        switch self {
        case .passcodeCost: ""
        case .setPasscode: "set-passcode"
        case .changePasscode: "change-passcode"
        case .removePasscode: "remove-passcode"
        case .unlock: "unlock"
        case .lock: "lock"
        case .erase: "erase"
        case .configure: "configure"
        case .biometry(let request): request.name
        }
    }
}

extension BiometryRequest {
    fileprivate var traits: KeychainTraits {
        switch self {
        case .status: []
        case .continueEnrolment, .cancelEnrolment, .cancelUnlock: .changesDevice
        case .beginEnrolment, .removeFinger: [.changesDevice, .audited]
        case .unlockWithFinger, .lockRemotely: [.changesDevice, .audited, .startsTimes]
        }
    }

    /// Empty for questions and for the steps of what was recorded at its beginning.
    fileprivate var name: String {
        switch self {
        case .status, .continueEnrolment, .cancelEnrolment, .cancelUnlock: ""
        case .beginEnrolment: "enrol-finger"
        case .removeFinger: "remove-finger"
        case .unlockWithFinger: "unlock-with-finger"
        case .lockRemotely: "lock-remotely"
        }
    }
}

extension DeviceReply: KeychainAnswer {
    package static let replyNumber: Int64 = 1

    package var replyNumber: Int64 {
        switch self {
        case .done: 1
        case .refused, .unreachable: 4
        case .declined: 8
        case .biometry: 9
        case .passcodeCost: 22
        }
    }

    package func write(to writer: inout FieldWriter) {
        switch self {
        case .done: break
        case .biometry(let reply): writer.data(EnclaveMessageCodec.encode(reply).body)
        case .passcodeCost(let seconds):
            writer.data(EnclaveMessageCodec.encode(PasscodeTryCost(seconds: seconds)).body)
        case .refused, .declined, .unreachable: break
        }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) { self = .done }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        switch number {
        case 1: self = .done
        case 9:
            guard case .success(let inner) = try MessageCoding.enclaveAnswer(BiometryReply.self, &fields) else {
                throw .badField("biometry")
            }
            self = .biometry(inner)
        case 22:
            guard case .success(let cost) = try MessageCoding.enclaveAnswer(PasscodeTryCost.self, &fields) else {
                throw .badField("passcode cost")
            }
            self = .passcodeCost(secondsPerTry: cost.seconds)
        default: return nil
        }
    }

    /// A refusal as a reply.
    package init(_ refusal: DeviceRefusal) {
        self =
            switch refusal {
            case .declined(let code, let refusal): .declined(code, refusal)
            case .refused(let refusal): .refused(refusal)
            case .unreachable(let refusal): .unreachable(refusal)
            }
    }
}

extension Keychain {
    package func perform(_ request: DeviceRequest) -> DeviceReply {
        do throws(DeviceRefusal) {
            return try ask(request)
        } catch {
            return DeviceReply(error)
        }
    }
}
